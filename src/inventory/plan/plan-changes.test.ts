import { describe, expect, test } from "vitest";
import { Secret } from "#base";
import { fc } from "#seeded";
import { describePlan } from "./describe-plan.ts";
import { holdBackFrom } from "./hold-back.ts";
import { planChanges } from "./plan-changes.ts";
import { completePlan, parsePlan, serialisePlan } from "./serialise-plan.ts";
import { asFound, afterPlan, live, type Toy, toyInventory, toyOptions, toyResource } from "./toy-inventory.fixture.ts";
import { ManagedObject } from "../object/managed-object.ts";
import { ResourceInventory } from "../resource-inventory.ts";

function plan(
  wanted: readonly Toy[],
  found: Parameters<typeof toyInventory>[1],
  more: Partial<typeof toyOptions> = {},
) {
  return planChanges(toyInventory(wanted, found), { ...toyOptions, ...more });
}

function summary({ actions }: ReturnType<typeof plan>): string[] {
  return actions.map(
    ({ action, cluster, namespace, kind, name }) => `${action} ${cluster}/${namespace} ${kind} ${name}`,
  );
}

test("G7-02, D-30: a desired object that does not exist is created", () => {
  expect(plan([{ name: "a" }], [])).toMatchObject({
    actions: [
      {
        action: "create",
        name: "a",
        reason: "new",
        body: { metadata: { annotations: expect.anything() } },
      },
    ],
    unchanged: 0,
  });
});

test("D-30: a live object that is as desired is left alone", () => {
  expect(plan([{ name: "a" }], [{ name: "a" }])).toMatchObject({ actions: [], refusals: [], unchanged: 1 });
});

test("D-30: a live object that differs is updated, with the fields that change and their old values", () => {
  const { actions } = plan([{ name: "a", value: "new" }], [{ name: "a", value: "old" }]);
  expect(actions).toMatchObject([
    {
      action: "update",
      reason: "changed",
      diff: [{ path: "data.k", before: '"old"', after: '"new"' }],
      expected: { uid: "uid-a", resourceVersion: "1" },
    },
  ]);
});

test("an object that was deployed by hand is adopted without changing a field", () => {
  const byHand = asFound({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", uid: "u" }, data: { k: "v" } });
  expect(plan([{ name: "a" }], [{ name: "a", as: byHand }]).actions).toMatchObject([{ action: "adopt", diff: [] }]);
});

test("G7-03, D-30: an object of ours that is no longer desired is deleted", () => {
  expect(summary(plan([{ name: "a" }], [{ name: "a" }, { name: "b" }]))).toEqual(["delete c1/n1 ConfigMap b"]);
});

test.each([
  { reason: "it has no owner", as: asFound({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } }) },
  { reason: "it has another owner", as: live({ name: "b", integration: "other" }) },
  { reason: "it has another caller", as: live({ name: "b", caller: "them" }) },
])("G7-04, D-16: an object that is not owned is never deleted: $reason", ({ as }) => {
  expect(
    plan(
      [{ name: "a", caller: "us" }],
      [
        { name: "a", caller: "us" },
        { name: "b", as },
      ],
      { caller: "us" },
    ),
  ).toMatchObject({
    actions: [],
    refusals: [],
  });
});

test("G7-05: a taken-over object with an ownerReference is kept, one without is deleted", () => {
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "y" };
  const held = live({ name: "held", integration: "old" }, { ownerReferences: [reference] });
  const free = live({ name: "free", integration: "old" });
  const found = [{ name: "a" }, { name: "held", as: held }, { name: "free", as: free }];
  expect(summary(plan([{ name: "a" }], found, { takeOverFrom: ["old"] }))).toEqual(["delete c1/n1 ConfigMap free"]);
});

test("another owner's object is refused and its owner is named, until it is taken over", () => {
  const found = [{ name: "a", as: live({ name: "a", integration: "other" }) }];
  expect(plan([{ name: "a" }], found)).toMatchObject({
    actions: [],
    refusals: [{ reason: "belongs to other", isError: true }],
  });
  expect(plan([{ name: "a" }], found, { takeOverFrom: ["other"] })).toMatchObject({
    actions: [{ action: "adopt" }],
    refusals: [],
  });
});

function theirs(value: string) {
  return [{ name: "a", as: live({ name: "a", caller: "them", value }) }];
}

describe("callers", () => {
  const wanted: Toy[] = [{ name: "a", caller: "us", value: "new" }];
  test("G7-06: an object of another caller that differs from the desired one is an error", () => {
    expect(plan(wanted, theirs("old"), { caller: "us", allCallers: ["us", "them"] })).toMatchObject({
      actions: [],
      refusals: [{ reason: "managed by another caller: them", isError: true }],
    });
  });

  test("G7-07: an object of a caller that no longer exists is taken over", () => {
    expect(plan(wanted, theirs("new"), { caller: "us", allCallers: ["us"] }).actions).toMatchObject([
      { action: "adopt", reason: "taken over from them" },
    ]);
  });

  test("G7-08: an object of another caller that is as desired is an error too", () => {
    expect(plan(wanted, theirs("new"), { caller: "us", allCallers: ["us", "them"] }).refusals).toHaveLength(1);
  });
});

describe("errors reach no farther than they say", () => {
  const wanted: Toy[] = [
    { name: "a", attribution: "one" },
    { name: "a", cluster: "c2", attribution: "one" },
  ];
  const found: Toy[] = [
    { name: "stale", attribution: "two" },
    { name: "stale", cluster: "c2", attribution: "two" },
  ];

  test("G7-09, G7-10, D-43: nothing is changed on a cluster that cannot be read, and the others are managed as usual", () => {
    const inventory = toyInventory(wanted, found);
    inventory.registerError({ cluster: "c2", what: "cannot be reached" });
    const made = planChanges(inventory, toyOptions);
    expect(summary(made)).toEqual(["create c1/n1 ConfigMap a", "delete c1/n1 ConfigMap stale"]);
    expect(made.errors).toMatchObject([{ cluster: "c2", what: "cannot be reached" }]);
  });

  test("D-52, B-39: objects that failed to render are neither changed nor deleted, and the rest is done", () => {
    const inventory = toyInventory(
      [{ name: "b", attribution: "two", value: "half" }, ...wanted],
      [...found, { name: "b", attribution: "two" }, { name: "gone", attribution: "three" }],
    );
    inventory.registerError({ stage: "desired", attribution: "two", what: "its chart does not render" });
    const made = planChanges(inventory, toyOptions);
    expect(summary(made)).toEqual([
      "create c1/n1 ConfigMap a",
      "delete c1/n1 ConfigMap gone",
      "create c2/n1 ConfigMap a",
    ]);
    expect(made.refusals.map(({ name, cluster }) => `${cluster} ${name}`)).toEqual(["c1 b", "c1 stale", "c2 stale"]);
  });

  test("D-52: in a namespace where something failed to render, no object without attribution is deleted", () => {
    const inventory = toyInventory(wanted, [{ name: "whose" }, { name: "whose", namespace: "n2" }]);
    inventory.registerError({
      stage: "desired",
      cluster: "c1",
      namespace: "n1",
      attribution: "two",
      what: "does not render",
    });
    expect(summary(planChanges(inventory, toyOptions))).toContain("delete c1/n2 ConfigMap whose");
    expect(planChanges(inventory, toyOptions).refusals).toMatchObject([{ namespace: "n1", name: "whose" }]);
  });

  test("what a namespace shares is counted when an integration there failed to render: it is unchanged, or held back", () => {
    const shared = { name: "shared", kind: "Service" };
    const counts = (more: readonly Toy[]) => {
      const inventory = toyInventory([shared], [{ name: "a-1", attribution: "a" }, ...more]);
      inventory.registerError({ stage: "desired", cluster: "c1", namespace: "n1", attribution: "a", what: "no chart" });
      const { actions, unchanged, refusals } = planChanges(inventory, toyOptions);
      return { actions, unchanged, held: refusals.map(({ action, name }) => `${action} ${name}`) };
    };
    const none = { actions: [] };
    expect(counts([shared])).toEqual({ ...none, unchanged: 1, held: ["delete a-1"] });
    expect(counts([{ ...shared, value: "other" }])).toEqual({
      ...none,
      unchanged: 0,
      held: ["update shared", "delete a-1"],
    });
    expect(counts([])).toEqual({ ...none, unchanged: 0, held: ["create shared", "delete a-1"] });
  });

  test("D-52: an error that belongs to none holds back every deletion but those of the things that it spares", () => {
    const inventory = toyInventory(
      [{ name: "a", attribution: "one" }],
      [
        { name: "known", attribution: "one" },
        { name: "unknown", attribution: "four" },
        { name: "whose", namespace: "n2" },
      ],
    );
    inventory.registerError({ stage: "desired", spares: new Set(["one"]), what: "x.yml:1:1: the file has no $schema" });
    const made = planChanges(inventory, toyOptions);
    expect(summary(made)).toEqual(["create c1/n1 ConfigMap a", "delete c1/n1 ConfigMap known"]);
    expect(made.refusals.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      "unknown: an error hides whether it is still desired: x.yml:1:1: the file has no $schema",
      "whose: an error hides whether it is still desired: x.yml:1:1: the file has no $schema",
    ]);
  });
});

function many(count: number): Toy[] {
  return Array.from({ length: count }, (_, index) => ({ name: `o-${index}` }));
}

function others(count: number): Toy[] {
  return Array.from({ length: count }, (_, index) => ({ name: `p-${index}` }));
}

describe("guards", () => {
  test.each([
    { reason: "nothing is desired", wanted: [], found: many(2), why: "no object at all is desired" },
    {
      reason: "more than the limit",
      wanted: many(60),
      found: [...many(60), ...others(51)],
      why: "; the limit is 50",
    },
    {
      reason: "more than half",
      wanted: many(5),
      found: [...many(5), ...others(6)],
      why: "would delete 6 of 11 objects; the limit is 50 %",
    },
  ])("deletions that look like an accident are held back: $reason", ({ wanted, found, why }) => {
    const made = plan(wanted, found);
    expect(made.actions.filter(({ action }) => action === "delete")).toEqual([]);
    expect(made.refusals[0]?.reason).toContain(why);
    const confirmed = plan(wanted, found, { deletionsConfirmed: true });
    expect(confirmed.refusals).toEqual([]);
    expect(confirmed.actions).toHaveLength(made.refusals.length);
  });

  test("the limits are the user's", () => {
    expect(plan(many(5), [...many(5), ...others(2)], { deletions: { count: 1 } }).refusals).toHaveLength(2);
    expect(plan(many(5), [...many(5), ...others(6)], { deletions: { share: 0.9 } }).refusals).toHaveLength(0);
  });

  test("an integration that is declared and has no desired objects loses none: zero shards", () => {
    const wanted: Toy[] = [{ name: "a", attribution: "one" }];
    const found: Toy[] = [...wanted, { name: "b", attribution: "two" }, { name: "c", attribution: "three" }];
    const made = plan(wanted, found, { declared: new Set(["one", "two"]) });
    expect(summary(made)).toEqual(["delete c1/n1 ConfigMap c"]);
    expect(made.refusals).toMatchObject([
      { name: "b", reason: "two is still declared, but none of its objects is desired" },
    ]);
  });

  test("a narrowed run never deletes what it hid, nor what does not say what it belongs to", () => {
    const found: Toy[] = [{ name: "b", attribution: "two" }, { name: "c", attribution: "three" }, { name: "d" }];
    expect(summary(plan([{ name: "a" }], found, { isVisible: ({ attribution }) => attribution === "two" }))).toEqual([
      "create c1/n1 ConfigMap a",
      "delete c1/n1 ConfigMap b",
    ]);
  });
});

test("D-36: a plan is ordered by cluster and namespace as first seen, then by kind and name", () => {
  const wanted: Toy[] = [
    { cluster: "z", kind: "Deployment", name: "b" },
    { cluster: "z", kind: "Deployment", name: "a" },
    { cluster: "z", kind: "Service", name: "s" },
    { cluster: "a", kind: "Thing", name: "t" },
    { cluster: "a", kind: "StatefulSet", name: "t" },
    { cluster: "a", kind: "CronJob", name: "t" },
  ];
  const found: Toy[] = [
    { cluster: "z", kind: "Service", name: "old" },
    { cluster: "z", kind: "Deployment", name: "old" },
  ];
  expect(summary(plan(wanted, found))).toEqual([
    "create z/n1 Service s",
    "create z/n1 Deployment a",
    "create z/n1 Deployment b",
    "delete z/n1 Deployment old",
    "delete z/n1 Service old",
    "create a/n1 CronJob t",
    "create a/n1 StatefulSet t",
    "create a/n1 Thing t",
  ]);
});

test("an object that cannot be sent is an error of its own", () => {
  const made = plan([{ name: "a", value: 2n ** 80n }, { name: "b" }], []);
  expect(summary(made)).toEqual(["create c1/n1 ConfigMap b"]);
  expect(made.errors[0]?.what).toContain("too large to be sent exactly");
});

const toys = fc.array(
  fc.record({
    cluster: fc.constantFrom("c1", "c2"),
    namespace: fc.constantFrom("n1", "n2"),
    kind: fc.constantFrom("ConfigMap", "Secret", "Deployment"),
    name: fc.constantFrom("a", "b", "c", "d"),
    value: fc.constantFrom("x", "y"),
    attribution: fc.constantFrom("one", "two", undefined),
    integration: fc.constantFrom("manager", "other"),
  }),
  { maxLength: 25 },
);

function key({ cluster, namespace, kind, name }: Toy): string {
  return `${cluster}/${namespace}/${kind}/${name}`;
}

function distinct(list: readonly Toy[]): Toy[] {
  return [...new Map(list.map((toy) => [key(toy), toy])).values()];
}

function ours(list: readonly Toy[]): Toy[] {
  return distinct(list.map((toy) => Object.assign({}, toy, { integration: "manager" })));
}

test("law: once a plan is carried out, the next one has nothing to do", () => {
  fc.assert(
    fc.property(toys, toys, fc.boolean(), (wanted, found, deletionsConfirmed) => {
      const options = { ...toyOptions, deletionsConfirmed };
      const inventory = toyInventory(ours(wanted), distinct(found));
      const first = planChanges(inventory, options);
      expect(planChanges(afterPlan(first, inventory), options).actions).toEqual([]);
    }),
  );
});

test("law: a plan never touches another owner's object, nor deletes a desired one", () => {
  fc.assert(
    fc.property(toys, toys, (wanted, found) => {
      const list = distinct(found);
      const made = planChanges(toyInventory(ours(wanted), list), { ...toyOptions, deletionsConfirmed: true });
      const foreign = new Set(list.filter(({ integration }) => integration === "other").map(key));
      const needed = new Set(wanted.map(key));
      expect(made.actions.filter((action) => foreign.has(key(action)))).toEqual([]);
      expect(made.actions.filter((action) => action.action === "delete" && needed.has(key(action)))).toEqual([]);
    }),
  );
});

test("law: without confirmation no plan deletes more than its limits", () => {
  fc.assert(
    fc.property(toys, toys, fc.nat(6), (wanted, found, count) => {
      const made = planChanges(toyInventory(ours(wanted), distinct(found)), { ...toyOptions, deletions: { count } });
      const deleted = made.actions.filter(({ action }) => action === "delete").length;
      expect(deleted).toBeLessThanOrEqual(wanted.length === 0 ? 0 : count);
    }),
  );
});

test("law: the order of names and kinds does not depend on the order of the input", () => {
  fc.assert(
    fc.property(toys, toys, (wanted, found) => {
      const [first, second] = [ours(wanted), distinct(found)];
      const one = planChanges(toyInventory(first, second), toyOptions);
      const other = planChanges(toyInventory(shuffledWithin(first), shuffledWithin(second)), toyOptions);
      expect(other.id).toBe(one.id);
      expect(other).toEqual(one);
    }),
  );
});

/** Clusters and namespaces come as they were first seen; what is in them is turned round. */
function shuffledWithin(list: readonly Toy[]): Toy[] {
  const places = [...new Set(list.map(({ cluster, namespace }) => `${cluster}/${namespace}`))];
  return places.flatMap((at) => list.filter(({ cluster, namespace }) => `${cluster}/${namespace}` === at).toReversed());
}

describe("secrets", () => {
  const value = "aHVudGVyMjItaXMtc2VjcmV0";
  const changed: Toy = { kind: "Secret", name: "s", value };

  test("a secret that changes is seen to change, and nothing of it is shown", () => {
    const { actions } = plan([changed], [{ ...changed, value: "b2xkLXZhbHVl" }]);
    expect(actions[0]?.diff).toEqual([{ path: "data.k", before: "***", after: "*** (changed)" }]);
  });

  test("law: no part of a secret is in a plan that leaves the process", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8 }), fc.uint8Array({ minLength: 8 }), (one, other) => {
        const [before, after] = [one, other].map((bytes) => Buffer.from(bytes).toString("base64"));
        const made = plan([{ ...changed, value: after ?? "" }], [{ ...changed, value: before ?? "" }]);
        const shown = describePlan(made) + serialisePlan(made);
        for (const secret of [before ?? "", after ?? ""]) {
          for (let at = 0; at + 6 <= secret.length; at += 1) expect(shown).not.toContain(secret.slice(at, at + 6));
        }
      }),
    );
  });

  test("a known secret is masked in the diff of any kind", () => {
    const known = new Secret("correct-horse-battery");
    const { actions } = plan([{ name: "a", value: `url=${known.reveal()}` }], [{ name: "a" }]);
    expect(JSON.stringify(actions[0]?.diff)).not.toContain("correct-horse");
  });

  test("a plan from a file finds the bodies of its Secrets again, unless they have changed", () => {
    const inventory = toyInventory([changed], []);
    const made = planChanges(inventory, toyOptions);
    const read = parsePlan(serialisePlan(made), "plan.json");
    expect(read.actions[0]?.body).toBeUndefined();
    expect(completePlan(read, inventory)).toEqual(made);
    expect(() => completePlan(read, toyInventory([{ ...changed, value: "b3RoZXI=" }], []))).toThrow(
      "the plan is stale",
    );
  });
});

test("a plan from a file is the plan that was written", () => {
  const made = plan([{ name: "a" }, { name: "b", value: "new" }], [{ name: "b" }, { name: "c" }]);
  expect(parsePlan(serialisePlan(made), "plan.json")).toEqual(JSON.parse(JSON.stringify(made)));
});

test.each([
  {
    reason: "edited",
    change: (text: string) => text.replace('"name": "a"', '"name": "z"'),
    what: "was changed after it was made",
  },
  {
    reason: "edited in what is to be sent",
    change: (text: string) => text.replace('"k": ', '"other": '),
    what: "was changed after it was made",
  },
  {
    reason: "cut off",
    change: (text: string) => text.slice(0, 40),
    what: "plan.json: the plan ends too early; make the plan again with `tenon plan --out FILE`",
  },
  { reason: "emptied", change: () => "\n", what: "plan.json: not a plan: the file is empty; make the plan again" },
  { reason: "replaced by a text", change: () => "kind: Pod\n", what: "plan.json: not a plan: not valid JSON; make" },
  {
    reason: "replaced by other JSON",
    change: () => '{"kind": "Pod", "spec": {}}',
    what: /^plan\.json: not a plan: .*, and \d+ more; make the plan again/,
  },
  {
    reason: "of another version",
    change: (text: string) => text.replace('"version": 1', '"version": 2'),
    what: "plan.json: the plan has version 2, and this Tenon reads version 1; make the plan again",
  },
])("a plan that was $reason is refused", ({ change, what }) => {
  const text = serialisePlan(plan([{ name: "a" }], []));
  expect(() => parsePlan(change(text), "plan.json")).toThrow(what);
});

test("the plan reads like a list of things to do", () => {
  const made = plan([{ name: "a" }, { name: "b", value: "new" }], [{ name: "b", value: "old" }, { name: "c" }]);
  expect(describePlan(made)).toBe(`c1/n1
  + ConfigMap a: new
  ~ ConfigMap b: changed
      ~ data.k: "old" -> "new"
  - ConfigMap c: no longer desired

1 to create, 1 to update, 1 to delete
`);
  expect(describePlan(plan([], []))).toBe("nothing to do\n");
});

const holdBack: NonNullable<typeof toyOptions.holdBack> = ({ attribution }) =>
  attribution === "s" ? { reason: "suspended: why", next: "resume it" } : undefined;

describe("what is to be held back", () => {
  test("a create, an update, an adoption and a deletion of it are held back, and the rest is done", () => {
    const byHand = asFound({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "adopt" }, data: { k: "v" } });
    const wanted = ["create", "update", "adopt"].map((name) => ({ name, value: "v", attribution: "s" }));
    const found = [
      { name: "update", value: "old", attribution: "s" },
      { name: "adopt", as: byHand },
      { name: "delete", attribution: "s" },
    ];
    const { actions, refusals } = plan([...wanted, { name: "other", attribution: "o" }], found, { holdBack });
    expect(actions.map(({ name }) => name)).toEqual(["other"]);
    expect(refusals.map(({ name, action, reason, isError }) => [name, action, reason, isError])).toEqual(
      expect.arrayContaining(
        ["create", "update", "adopt", "delete"].map((name) => [name, name, "suspended: why", false]),
      ),
    );
  });

  test("its deletions do not count when the deletions of others are limited", () => {
    const found = ["1", "2", "3"].map((name) => ({ name, attribution: "s" }));
    const { actions, refusals } = plan([{ name: "a" }], [...found, { name: "b", attribution: "o" }], {
      holdBack,
      deletions: { count: 1 },
    });
    expect(actions.map(({ action, name }) => `${action} ${name}`)).toEqual(["create a", "delete b"]);
    expect(refusals).toHaveLength(3);
  });

  test("a plan from a file gets another id when a part of it is held back", () => {
    const made = plan([{ name: "a", attribution: "s" }, { name: "b" }], []);
    const held = holdBackFrom(made, holdBack);
    expect(summary(held)).toEqual(["create c1/n1 ConfigMap b"]);
    expect(held.id).not.toBe(made.id);
    expect(parsePlan(serialisePlan(held), "plan.json")).toEqual(held);
    expect(holdBackFrom(made, () => undefined)).toBe(made);
  });
});

function scaled(replicas: number): ManagedObject {
  const body = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec: { replicas } };
  return new ManagedObject({ body, integration: "manager", integrationVersion: "0.1.0" });
}

function planScaled(autoscaling: Parameters<ResourceInventory["addAutoscaling"]>[2] | undefined) {
  const inventory = new ResourceInventory();
  inventory.initialize("c1", "n1", "Deployment");
  inventory.addDesired({ cluster: "c1", namespace: "n1", kind: "Deployment", name: "a", value: scaled(1) });
  const found = asFound({ ...scaled(1).annotate(new Date(0)), spec: { replicas: 3 } });
  inventory.addCurrent("c1", "n1", "Deployment", "a", found);
  if (autoscaling) inventory.addAutoscaling("c1", "n1", autoscaling);
  return planChanges(inventory, toyOptions);
}

describe("autoscalers", () => {
  test("replicas of an object without an autoscaler are set", () => {
    const set = { actions: [{ action: "update", body: { spec: { replicas: 1 } } }] };
    expect(planScaled(undefined)).toMatchObject(set);
    expect(planScaled({ targets: new Set(["Deployment/b", "StatefulSet/a"]) })).toMatchObject(set);
  });

  test("replicas of an object with an autoscaler are left to it", () => {
    const left = planScaled({ targets: new Set(["Deployment/a"]) });
    expect(left).toMatchObject({ actions: [], refusals: [], unchanged: 1, ignored: 1 });
    expect(describePlan(left)).toBe("1 unchanged, 1 with ignored differences\n");
  });

  test("replicas stay, and the plan fails, if autoscalers cannot be read", () => {
    const unread = { what: "horizontalpodautoscalers is forbidden", next: "allow it" };
    expect(planScaled({ targets: new Set(), unread })).toMatchObject({
      actions: [],
      refusals: [{ reason: expect.stringContaining(unread.what), next: "allow it", isError: true }],
    });
    const forbidden = planScaled({ targets: new Set(), unread: { ...unread, isForbidden: true } });
    expect(forbidden, "no autoscaler wrote them").toMatchObject({ actions: [{ action: "update" }], refusals: [] });
  });
});

test("an ignored field of a Secret is sent as it is, also from a plan that was saved", () => {
  const value = toyResource({ kind: "Secret", name: "s", value: "b25l" }).withBody({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s" },
    data: { a: "bmV3", rotated: "b25l" },
  });
  const inventory = new ResourceInventory();
  inventory.initialize("c1", "n1", "Secret");
  inventory.addDesired({ cluster: "c1", namespace: "n1", kind: "Secret", name: "s", value });
  const body = { ...value.annotate(new Date(0)), data: { a: "b2xk", rotated: "dHdv" } };
  inventory.addCurrent("c1", "n1", "Secret", "s", asFound(body));
  const options = { ...toyOptions, ignoreDifferences: [{ kind: "Secret", paths: ["/data/rotated"] }] };
  const made = planChanges(inventory, options);
  expect(made.actions).toMatchObject([{ body: { data: { a: "bmV3", rotated: "dHdv" } }, diff: [{ path: "data.a" }] }]);
  expect(completePlan(parsePlan(serialisePlan(made), "file"), inventory, options)).toEqual(made);
});
