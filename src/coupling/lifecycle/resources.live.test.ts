import { describe, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const both = ["coupled", "updated"];
const failureIn = (found: KubeObject | undefined) => String(conditionOf(found, "Failed")?.["message"]);

const failure = async (name: string, part = "") => {
  const plug = await world.waitFor(
    world.ref("Plug", name),
    (found) => failureIn(found) !== "undefined" && failureIn(found).includes(part),
  );
  return failureIn(plug);
};
const find = (name: string, namespace = world.prov) => world.client.find(world.ref("ConfigMap", name, namespace));
const versionOf = async (name: string, namespace = world.prov) =>
  Number((await find(name, namespace))?.metadata.resourceVersion);
const textOf = (name: string, data = "a: b") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {${data}}\n`;
const foreign = (name: string, data: object, metadata: object = {}, namespace = world.prov): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, ...metadata },
  data,
});

const bothResults = (name: string) => ({
  template: configMapTemplate(name, {
    plug: "{% .plugResult.bar %}",
    socket: "{% .socketResult.foo %}",
    own: "{% .result | toJson %}",
  }),
});

const withValue = (name: string, value: string) => ({
  resources: [{ template: configMapTemplate(name, { k: value }) }],
});

describe.concurrent("resources", () => {
  test("H40: objects are created in the namespace of their owner only", async ({ expect }) => {
    const other = { ...configMapTemplate("h40-other"), metadata: { name: "h40-other", namespace: "zzz" } };
    await world.apply(
      world.socket("s40", { resources: [{ template: configMapTemplate("h40") }] }),
      world.plug("p40", on("s40")),
      world.socket("s40-z", { resources: [{ template: configMapTemplate("h40-z") }, { template: other }] }),
      world.plug("p40-z", on("s40-z")),
    );
    await world.waitUntilCoupled("p40");
    expect(await find("h40")).toBeDefined();
    expect(await failure("p40-z")).toContain(`resource namespace zzz must be ${world.prov}`);
    expect(await find("h40-z")).toBe(undefined);
  });

  test.for(["end", "endif"])(
    "H41: a condition in a template decides whether there is an object, closed by end or endif: %s",
    async (end, { expect }) => {
      const name = `cond-${end}`;
      const stringTemplate = ['{%- if (eq .plugConfig.create "1") %}', textOf(name), `{%- ${end} %}`].join("\n");
      const plug = (create: string) => world.plug(`p41-${end}`, { ...on(`s41-${end}`), config: { create } });
      await world.apply(
        world.socket(`s41-${end}`, { resources: [{ when: both, do: "apply", stringTemplate }] }),
        plug("0"),
      );
      await world.waitUntilCoupled(`p41-${end}`);
      expect(await find(name)).toBe(undefined);
      await world.apply(plug("1"));
      await world.waitUntilCoupled(`p41-${end}`);
      expect(await find(name)).toBeDefined();
      await world.apply(plug("0"));
      await world.waitUntilCoupled(`p41-${end}`);
      expect(await find(name)).toBe(undefined);
    },
  );

  test("H42: all four forms of templates make objects, in a fixed order", async ({ expect }) => {
    const names = Array.from({ length: 6 }, (_, index) => `h42-${index}`);
    const [a = "", b = "", c = "", d = "", e = "", f = ""] = names;
    const resource = {
      stringTemplates: [textOf(e), textOf(f)],
      stringTemplate: textOf(d),
      templates: [configMapTemplate(b), configMapTemplate(c)],
      template: configMapTemplate(a),
    };
    await world.apply(world.socket("s42", { resources: [resource] }), world.plug("p42", on("s42")));
    await world.waitUntilCoupled("p42");
    const versions = await Promise.all(names.map((name) => versionOf(name)));
    expect(versions.every(Number.isInteger)).toBe(true);
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
  });

  test("H43: a text of several documents makes all of their objects", async ({ expect }) => {
    const stringTemplate = `${textOf("h43-a")}---\n${textOf("h43-b")}`;
    await world.apply(world.socket("s43", { resources: [{ stringTemplate }] }), world.plug("p43", on("s43")));
    await world.waitUntilCoupled("p43");
    expect([await find("h43-a"), await find("h43-b")].every((found) => found !== undefined)).toBe(true);
  });

  test("H44: without do and when, an object is applied at coupled and updated, and deleted at decoupled", async ({
    expect,
  }) => {
    const resources = [{ template: configMapTemplate("h44", { a: "{% .plugConfig.a %}" }) }];
    const plug = (a: string) => world.plug("p44", { ...on("s44"), config: { a } });
    await world.apply(world.socket("s44", { resources }), plug("1"));
    await world.waitUntilCoupled("p44");
    expect(await world.dataOf("h44", world.prov)).toEqual({ a: "1" });
    await world.apply(plug("2"));
    await world.waitUntilCoupled("p44");
    expect(await world.dataOf("h44", world.prov)).toEqual({ a: "2" });
    await world.client.delete(world.ref("Plug", "p44"), {});
    await world.waitUntilDeleted(world.ref("ConfigMap", "h44", world.prov));
  });

  test("H45: do: delete deletes the object of that name, and succeeds when there is none", async ({ expect }) => {
    await world.apply(foreign("h45-old", { a: "b" }));
    const resources = ["h45-old", "h45-never"].map((name) => ({
      when: ["coupled"],
      do: "delete",
      template: configMapTemplate(name),
    }));
    await world.apply(world.socket("s45", { resources }), world.plug("p45", on("s45")));
    await world.waitUntilCoupled("p45");
    expect(await find("h45-old")).toBe(undefined);
  });

  test("H46: do: recreate waits until the old Job is gone, and leaves one Job and no pods of the old one", async ({
    expect,
  }) => {
    const pod = { restartPolicy: "Never", containers: [{ name: "c", image: "{% .plugConfig.image %}" }] };
    const template = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "job46", finalizers: ["{% .plugConfig.finalizer %}"] },
      spec: { template: { metadata: { labels: { case: "h46" } }, spec: pod } },
    };
    const plug = (image: string) =>
      world.plug("p46", { ...on("s46"), config: { image, finalizer: "example.com/keep" } });
    const ref = world.ref("Job", "job46", world.prov);
    await world.apply(world.socket("s46", { resources: [{ when: both, do: "recreate", template }] }), plug("one"));
    await world.waitUntilCoupled("p46");
    const first = await world.client.get(ref);
    await world.apply(plug("two"));
    await world.waitFor(ref, (found) => found?.metadata.deletionTimestamp !== undefined);
    expect((await world.client.get(world.ref("Plug", "p46"))).metadata.generation).toBe(2);
    expect(conditionOf(await world.client.get(world.ref("Plug", "p46")), "Coupled")?.["reason"]).toBe(
      "UpdatingInProcess",
    );
    await world.client.patch(ref, { type: "merge", body: { metadata: { finalizers: null } } });
    await world.waitUntilCoupled("p46");
    const second = await world.client.get(ref);
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    const pods = async () => {
      const { items } = await world.client.list({
        apiVersion: "v1",
        kind: "Pod",
        namespace: world.prov,
        labelSelector: "case=h46",
      });
      return items.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    };
    await expect.poll(pods).toEqual([second.metadata.uid]);
    await world.client.patch(ref, { type: "merge", body: { metadata: { finalizers: null } } });
  });

  test("H49: result resources see both results, the socket's are made first, and decoupling deletes all", async ({
    expect,
  }) => {
    await world.apply(
      world.socket("s49", { result: { foo: "F" }, resultResources: [bothResults("h49-socket")] }),
      world.plug("p49", { ...on("s49"), result: { bar: "B" }, resultResources: [bothResults("h49-plug")] }),
    );
    await world.waitUntilCoupled("p49");
    expect(await world.dataOf("h49-socket", world.prov)).toEqual({ plug: "B", socket: "F", own: '{"foo":"F"}' });
    expect(await world.dataOf("h49-plug", world.app)).toEqual({ plug: "B", socket: "F", own: '{"bar":"B"}' });
    expect(await versionOf("h49-socket")).toBeLessThan(await versionOf("h49-plug", world.app));
    await world.client.delete(world.ref("Plug", "p49"), {});
    await world.waitUntilDeleted(world.ref("ConfigMap", "h49-socket", world.prov));
    await world.waitUntilDeleted(world.ref("ConfigMap", "h49-plug", world.app));
  });

  test.for(['v","evil":"yes', "two\nlines \"and\" 'quotes': # all"])(
    "H50: a config value cannot change the structure of a template: %j",
    async (value, { expect }) => {
      const id = value.length;
      const resources = [{ template: configMapTemplate(`h50-${id}`, { v: "{% .plugConfig.v %}" }) }];
      await world.apply(
        world.socket(`s50-${id}`, { resources }),
        world.plug(`p50-${id}`, { ...on(`s50-${id}`), config: { v: value } }),
      );
      await world.waitUntilCoupled(`p50-${id}`);
      expect(await world.dataOf(`h50-${id}`, world.prov)).toEqual({ v: value });
    },
  );

  test("D.2: a template that inserts a value of the other side without quotes causes a warning Event", async ({
    expect,
  }) => {
    const quoted = "{apiVersion: v1, kind: ConfigMap, metadata: {name: d2-q}, data: {v: {% .plugConfig.v | quote %}}}";
    const raw = "{apiVersion: v1, kind: ConfigMap, metadata: {name: d2-r}, data: {v: '{% .plugConfig.v %}'}}";
    await world.apply(
      world.socket("s-d2", { resources: [{ stringTemplate: quoted }, { stringTemplate: raw }] }),
      world.plug("p-d2", { ...on("s-d2"), config: { v: "it''s: so" } }),
    );
    await world.waitUntilCoupled("p-d2");
    const warnings = async () => (await world.events("Socket", "s-d2")).filter((reason) => reason === "UnquotedValue");
    await expect.poll(warnings).toEqual(["UnquotedValue"]);
  });

  test.for([
    { id: "env", text: '{% env "HOME" %}', says: 'function "env" is disabled' },
    { id: "repeat", text: '{% repeat 100000000 "x" %}', says: "makes more than 1048576 bytes" },
    { id: "until", text: "{% range until 100000000 %}x{% end %}", says: "makes more than 1048576 bytes" },
  ])(
    "H51, F-02: a template cannot read the operator's environment or exhaust its memory: $id",
    async ({ id, text, says }, { expect }) => {
      const resources = [{ template: configMapTemplate(`h51-${id}`, { v: text }) }];
      await world.apply(world.socket(`s51-${id}`, { resources }), world.plug(`p51-${id}`, on(`s51-${id}`)));
      expect(await failure(`p51-${id}`)).toContain(says);
      expect(await failure(`p51-${id}`)).toContain("spec.resources[0].template");
    },
  );

  test("H52: sprig functions give the same results as in Go", async ({ expect }) => {
    const golden: Readonly<Record<string, readonly [template: string, expected: string]>> = {
      abbrev: ["abbrev 5 `hello world`", "he..."],
      b64enc: ["b64enc `a`", "YQ=="],
      b64dec: ["b64dec `YQ==`", "a"],
      camelcase: ["camelcase `a_b`", "AB"],
      coalesce: ["coalesce `` `a`", "a"],
      contains: ["contains `a` `cat`", "true"],
      default: ["default `d` ``", "d"],
      dict: ["(dict `a` 1).a", "1"],
      empty: ["empty ``", "true"],
      first: ["first (list 1 2)", "1"],
      hasKey: ["hasKey (dict `a` 1) `a`", "true"],
      hasPrefix: ["hasPrefix `a` `ab`", "true"],
      indent: ["indent 2 `a`", "  a"],
      int: ["int `12`", "12"],
      join: ["join `,` (list 1 2)", "1,2"],
      kebabcase: ["kebabcase `aB`", "a-b"],
      last: ["last (list 1 2)", "2"],
      list: ["list 1 2", "[1 2]"],
      lower: ["lower `A`", "a"],
      max: ["max 1 3 2", "3"],
      mod: ["mod 7 4", "3"],
      nindent: ["nindent 1 `a` | quote", '"\\n a"'],
      nospace: ["nospace `a b`", "ab"],
      plural: ["plural `one` `many` 2", "many"],
      printf: ["printf `%03d` 7", "007"],
      quote: ["quote `a`", '"a"'],
      regexMatch: ["regexMatch `^a+$` `aa`", "true"],
      regexReplaceAll: ["regexReplaceAll `a(b)` `ab` `-${1}-`", "-b-"],
      repeat: ["repeat 3 `a`", "aaa"],
      replace: ["replace `a` `b` `aa`", "bb"],
      reverse: ["reverse (list 1 2)", "[2 1]"],
      semverCompare: ["semverCompare `^1.2.0` `1.3.0`", "true"],
      sha256sum: ["sha256sum `a` | trunc 8", "ca978112"],
      snakecase: ["snakecase `aB`", "a_b"],
      sortAlpha: ["sortAlpha (list `b` `a`)", "[a b]"],
      splitList: ["splitList `,` `a,b`", "[a b]"],
      squote: ["squote `a`", "'a'"],
      substr: ["substr 0 2 `abc`", "ab"],
      ternary: ["ternary `y` `n` true", "y"],
      title: ["title `a b`", "A B"],
      toJson: ["toJson (list 1 `a`)", '[1,"a"]'],
      trim: ["trim ` a `", "a"],
      trunc: ["trunc 2 `abc`", "ab"],
      uniq: ["uniq (list 1 1)", "[1]"],
      untilStep: ["untilStep 0 6 2", "[0 2 4]"],
      upper: ["upper `a`", "A"],
    };
    const entries = Object.entries(golden);
    expect(entries.length).toBeGreaterThanOrEqual(40);
    const data = Object.fromEntries(entries.map(([name, [template]]) => [name, `{% ${template} %}`]));
    await world.apply(
      world.socket("s52", { resources: [{ template: configMapTemplate("h52", data) }] }),
      world.plug("p52", on("s52")),
    );
    await world.waitUntilCoupled("p52");
    const expected = Object.fromEntries(entries.map(([name, [, text]]) => [name, text]));
    expect(await world.dataOf("h52", world.prov)).toEqual(expected);
  });

  test("H53: objects are created with the rights of the service account, and a missing right is named", async ({
    expect,
  }) => {
    const resources = [{ template: configMapTemplate("h53") }];
    const plug = (name: string, account: string) =>
      world.plug(name, { ...on("s53"), serviceAccountName: account, resources });
    await world.apply(world.socket("s53", {}), plug("p53", "nobody53"));
    const message = await failure("p53");
    for (const part of [`system:serviceaccount:${world.app}:nobody53`, "patch", "configmaps"])
      expect(message).toContain(part);
    expect(await find("h53", world.app)).toBe(undefined);
    await world.client.create({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "somebody53", namespace: world.app },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "everything" },
      subjects: [{ kind: "ServiceAccount", name: "nobody53", namespace: world.app }],
    });
    await world.waitUntilCoupled("p53");
    expect(await find("h53", world.app)).toBeDefined();
  });

  test("H54: a field that another field manager owns is not taken over, and the manager is named", async ({
    expect,
  }) => {
    await world.apply(foreign("h54", { k: "theirs" }), foreign("h54-same", { k: "same" }));
    await world.apply(
      world.socket("s54", withValue("h54", "ours")),
      world.plug("p54", on("s54")),
      world.socket("s54-same", withValue("h54-same", "same")),
      world.plug("p54-same", on("s54-same")),
    );
    const plug = await world.waitForReason("p54", "ApplyConflict");
    const message = String(conditionOf(plug, "Failed")?.["message"]);
    expect(message).toContain(".data.k (test)");
    expect(await world.dataOf("h54", world.prov)).toEqual({ k: "theirs" });
    await world.waitUntilCoupled("p54-same");
  });

  test("H55: a cluster-scoped object is refused", async ({ expect }) => {
    const template = { apiVersion: "v1", kind: "Namespace", metadata: { name: "h55" } };
    await world.apply(world.socket("s55", { resources: [{ template }] }), world.plug("p55", on("s55")));
    expect(await failure("p55")).toContain("kind Namespace is cluster-scoped");
  });

  test("H56: when the name of an object changes, the new object is created and the old one deleted", async ({
    expect,
  }) => {
    const resources = [{ template: configMapTemplate("h56-{% .plugConfig.n %}") }];
    const plug = (n: string) => world.plug("p56", { ...on("s56"), config: { n } });
    await world.apply(world.socket("s56", { resources }), plug("1"));
    await world.waitUntilCoupled("p56");
    await world.apply(plug("2"));
    await world.waitUntilCoupled("p56");
    expect(await find("h56-2")).toBeDefined();
    expect(await find("h56-1")).toBe(undefined);
    await world.client.delete(world.ref("Plug", "p56"), {});
    await world.waitUntilDeleted(world.ref("ConfigMap", "h56-2", world.prov));
  });

  test("H57: an unknown kind is named, and the plug couples once the kind exists", async ({ expect }) => {
    const name = `h57-${world.app.slice(4)}`;
    const kind = `Late${world.app.slice(4).replaceAll("-", "")}`;
    const group = `${name}.example.com`;
    const template = { apiVersion: `${group}/v1`, kind, metadata: { name: "late" } };
    await world.apply(world.socket("s57", { resources: [{ template }] }), world.plug("p57", on("s57")));
    expect(await failure("p57")).toContain(`has no API group "${group}"`);
    const plural = `${kind.toLowerCase()}s`;
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      name: `${plural}.${group}`,
    };
    await world.client.create({
      apiVersion: definition.apiVersion,
      kind: definition.kind,
      metadata: { name: definition.name },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    });
    await world.client.create({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "late57", namespace: world.prov },
      rules: [{ apiGroups: [group], resources: ["*"], verbs: ["*"] }],
    });
    await world.client.create({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "late57", namespace: world.prov },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "late57" },
      subjects: [{ kind: "ServiceAccount", name: "default", namespace: world.prov }],
    });
    await world.waitFor(world.ref("Plug", "p57"), (found) => conditionOf(found, "Coupled")?.["status"] === "True");
    await world.client.delete(world.ref("Plug", "p57"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p57"));
    await world.client.delete(definition, {});
  });

  test("another owner's object gets the fields of the template without our labels, and is not deleted", async ({
    expect,
  }) => {
    await world.apply(
      foreign("theirs", { own: "1" }, { labels: { "app.kubernetes.io/managed-by": "Helm" } }, world.app),
    );
    const resources = [{ template: configMapTemplate("theirs", { more: "{% .plugConfig.a %}" }) }];
    const plug = (a: string) => world.plug("p-theirs", { ...on("s-theirs"), config: { a }, resources });
    await world.apply(world.socket("s-theirs", {}), plug("2"));
    await world.waitUntilCoupled("p-theirs");
    await world.apply(plug("3"));
    await world.waitUntilCoupled("p-theirs");
    const found = await find("theirs", world.app);
    expect(found?.["data"]).toEqual({ own: "1", more: "3" });
    expect(found?.metadata.labels).toEqual({ "app.kubernetes.io/managed-by": "Helm" });
    expect(found?.metadata.ownerReferences).toBe(undefined);
    await world.client.delete(world.ref("Plug", "p-theirs"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-theirs"));
    expect((await find("theirs", world.app))?.metadata.deletionTimestamp).toBe(undefined);
  });

  test("another owner's object is recreated only with the adopt annotation", async ({ expect }) => {
    await world.apply(foreign("mine", { own: "1" }, {}, world.app));
    const resources = [{ do: "recreate", template: configMapTemplate("mine") }];
    await world.apply(world.socket("s-mine", {}), world.plug("p-mine", { ...on("s-mine"), resources }));
    expect(await failure("p-mine")).toContain("was not created by this Plug");
    expect((await find("mine", world.app))?.["data"]).toEqual({ own: "1" });
    const annotations = { "integration.rock8s.com/adopt": "true" };
    await world.apply(foreign("mine", { own: "1" }, { annotations }, world.app));
    await world.waitUntilCoupled("p-mine");
    expect(await world.dataOf("mine", world.app)).toEqual({ a: "b" });
    await world.client.delete(world.ref("Plug", "p-mine"), {});
    await world.waitUntilDeleted(world.ref("ConfigMap", "mine", world.app));
  });

  test("two plugs do not fight over one object: the second one's message names the first", async ({ expect }) => {
    const plug = (name: string) =>
      world.plug(name, { ...on("s-two"), resources: [{ template: configMapTemplate("two", { by: name }) }] });
    await world.apply(world.socket("s-two", {}), plug("p-two-a"));
    await world.waitUntilCoupled("p-two-a");
    await world.apply(plug("p-two-b"));
    expect(await failure("p-two-b")).toContain(`owned by Plug/${world.app}/p-two-a`);
    expect(await world.dataOf("two", world.app)).toEqual({ by: "p-two-a" });
    await world.client.delete(world.ref("Plug", "p-two-a"), {});
    await world.waitUntilCoupled("p-two-b");
    expect(valueAt(await find("two", world.app), ["data", "by"])).toBe("p-two-b");
  });
});
