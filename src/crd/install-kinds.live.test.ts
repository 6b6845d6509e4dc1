import { afterAll, afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { ConflictError, InputError, systemClock, valueAt } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { createClient, type KubeClient } from "#kube";
import { toCustomResourceDefinition } from "./custom-resource-definition.ts";
import { defineKind, type Kind, type KindDefinition } from "./define-kind.ts";
import { installKinds } from "./install-kinds.ts";
import { connectRaw, type RawAnswer, untilServed } from "./live-crd.fixture.ts";
import { toyWidget } from "./toy-widget.fixture.ts";
import { validations } from "./validations.ts";

const { namespace } = useNamespace();
const api = await connectRaw(testKubeconfig());
const kube = createClient(api.transport);
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const groups: string[] = [];

function newGroup(): string {
  const group = `i${crypto.randomUUID().slice(0, 8)}.tenon.test`;
  groups.push(group);
  return group;
}

afterEach(async () => {
  const { body } = await api.call("GET", definitions);
  const items = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) }).parse(body).items;
  for (const { metadata } of items) {
    if (groups.some((group) => metadata.name.endsWith(group)))
      await api.call("DELETE", `${definitions}/${metadata.name}`);
  }
});

afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

const Note = z.object({ text: z.string() });

function noteKind(group: string, changes: Partial<KindDefinition> = {}): Kind {
  const first = {
    group,
    version: "v1alpha1",
    kind: "Note",
    scope: "Namespaced",
    description: "A note.",
    spec: Note,
  } as const;
  return defineKind<z.ZodType, z.ZodType>({ ...first, ...changes });
}

function notes(group: string, version = "v1alpha1"): string {
  return `/apis/${group}/${version}/namespaces/${namespace}/notes`;
}

async function createNote(group: string, spec: unknown): Promise<RawAnswer> {
  await untilServed(api, notes(group));
  await kube.discovery.whenServed({ apiVersion: `${group}/v1alpha1`, kind: "Note" }, AbortSignal.timeout(300_000));
  const note = { apiVersion: `${group}/v1alpha1`, kind: "Note", metadata: { name: "a" }, spec };
  const made = await api.call("POST", notes(group), note);
  expect(made.message).toBe("");
  return made;
}

/** A client that counts what it writes. */
function countingClient() {
  const client = {
    writes: 0,
    find: (...call: Parameters<KubeClient["find"]>) => kube.find(...call),
    pages: (...call: Parameters<KubeClient["pages"]>) => kube.pages(...call),
    apply: async (...call: Parameters<KubeClient["apply"]>) => {
      client.writes += 1;
      return await kube.apply(...call);
    },
  };
  return client;
}

describe("installKinds", () => {
  test("installs, waits until the kind is served, and writes nothing the second time", async () => {
    const group = newGroup();
    const kinds = [toyWidget(group), noteKind(group)];
    const client = countingClient();
    const first = await installKinds(client, kinds);
    expect(first).toMatchObject([
      { crdName: `widgets.${group}`, change: "installed" },
      { crdName: `notes.${group}`, change: "installed" },
    ]);
    expect(client.writes).toBe(2);
    const before = await api.call("GET", `${definitions}/notes.${group}`);
    expect(before.body).toMatchObject({
      status: {
        conditions: expect.arrayContaining([
          {
            type: "Established",
            status: "True",
            reason: expect.anything(),
            message: expect.anything(),
            lastTransitionTime: expect.anything(),
          },
        ]),
      },
    });

    const second = await installKinds(client, kinds);
    expect(second.map(({ change }) => change)).toStrictEqual(["unchanged", "unchanged"]);
    expect(client.writes).toBe(2);
    const after = await api.call("GET", `${definitions}/notes.${group}`);
    expect(valueAt(after.body, ["metadata", "resourceVersion"])).toBe(
      valueAt(before.body, ["metadata", "resourceVersion"]),
    );
  });

  test("a new optional field leaves stored objects as they are and readable", async () => {
    const group = newGroup();
    const client = countingClient();
    await installKinds(client, [noteKind(group)]);
    const made = await createNote(group, { text: "hello" });
    const spec = Note.extend({ colour: z.string().default("red"), size: z.int().optional() });
    const [upgraded] = await installKinds(client, [noteKind(group, { spec })]);
    expect(upgraded).toMatchObject({ change: "upgraded", violations: { count: 0 } });
    const read = await untilRead(group, "v1alpha1", (body) => valueAt(body, ["spec", "colour"]) === "red");
    expect(valueAt(read, ["spec", "text"])).toBe("hello");
    expect(valueAt(read, ["metadata", "uid"])).toBe(valueAt(made.body, ["metadata", "uid"]));
    expect(noteKind(group, { spec }).parse(read)).toMatchObject({ spec: { text: "hello", colour: "red" } });
  });

  test("after an upgrade to a new storage version, objects are readable in both versions, and the old version cannot be removed", async () => {
    const group = newGroup();
    const client = countingClient();
    await installKinds(client, [noteKind(group)]);
    await createNote(group, { text: "hello" });
    const older = { version: "v1alpha1", spec: Note, deprecated: "use v1" } as const;
    const both = noteKind(group, {
      version: "v1",
      spec: Note.extend({ colour: z.string().optional() }),
      otherVersions: [older],
    });
    await installKinds(client, [both]);
    await untilServed(api, notes(group, "v1"));
    const asNew = await untilRead(group, "v1", (body) => valueAt(body, ["spec", "text"]) === "hello");
    expect(both.parse(asNew)).toMatchObject({ apiVersion: `${group}/v1`, spec: { text: "hello" } });
    const asOld = await api.call("GET", `${notes(group)}/a`);
    expect(asOld.body).toMatchObject({ apiVersion: `${group}/v1alpha1`, spec: { text: "hello" } });
    expect(asOld.warnings).toContain("use v1");

    const onlyNew = noteKind(group, { version: "v1" });
    await expect(installKinds(client, [onlyNew])).rejects.toThrow(
      /notes\.\S+: objects may still be stored as v1alpha1, .*; keep v1alpha1 in otherVersions, with served: false/,
    );
    await expect(installKinds(client, [onlyNew])).rejects.toThrow(InputError);
  });

  test("a version may be unserved while objects are still stored in it", async () => {
    const group = newGroup();
    const client = countingClient();
    await installKinds(client, [noteKind(group)]);
    await createNote(group, { text: "hello" });
    const older = { version: "v1alpha1", spec: Note, served: false } as const;
    await installKinds(client, [noteKind(group, { version: "v1", otherVersions: [older] })]);
    await untilServed(api, notes(group, "v1"));
    const read = await untilRead(group, "v1", () => true);
    expect(valueAt(read, ["spec", "text"])).toBe("hello");
  });

  test("reports stored objects that the new definition would refuse, and leaves them", async () => {
    const group = newGroup();
    const client = countingClient();
    await installKinds(client, [noteKind(group)]);
    await createNote(group, { text: "hello" });
    const [upgraded] = await installKinds(client, [noteKind(group, { spec: z.object({ text: z.string().max(3) }) })]);
    expect(upgraded?.violations.count).toBe(1);
    expect(upgraded?.violations.examples).toStrictEqual([expect.stringMatching(/^Note test-\w+\/a: spec\.text: .*3/)]);
    expect((await api.call("GET", `${notes(group)}/a`)).body).toMatchObject({ spec: { text: "hello" } });
  });

  test.each([
    {
      change: { scope: "Cluster" } as const,
      says: /scope cannot change from Namespaced to Cluster; keep the scope/,
      reason: "objects would lose their namespace",
    },
    {
      change: { kind: "Memo", plural: "notes" },
      says: /expected kind Memo, but the existing definition has kind Note; choose another plural/,
      reason: "names are fixed once established",
    },
  ])("refuses $change: $reason", async ({ change, says }) => {
    const group = newGroup();
    const client = countingClient();
    await installKinds(client, [noteKind(group)]);
    await expect(installKinds(client, [noteKind(group, change)])).rejects.toThrow(says);
    expect(client.writes).toBe(1);
  });

  test("names the field manager whose fields it would change, and takes over only with takeOverFrom", async () => {
    const group = newGroup();
    const client = countingClient();
    const theirs = toCustomResourceDefinition(noteKind(group, { categories: ["theirs"] }));
    await api.call("PATCH", `${definitions}/notes.${group}?fieldManager=helm`, theirs);
    const ours = noteKind(group, { categories: ["ours"] });
    const refused = installKinds(client, [ours]);
    await expect(refused).rejects.toThrow(ConflictError);
    await expect(refused).rejects.toThrow(
      /categories.* \(owned by helm\); leave the definition to them, or take it over from helm/,
    );
    const [taken] = await installKinds(client, [ours], { takeOverFrom: ["helm"] });
    expect(taken?.change).toBe("upgraded");
  });

  test("does not undo a manual change without takeOverFrom, and names the manager", async () => {
    const group = newGroup();
    const client = countingClient();
    await installKinds(client, [noteKind(group, { categories: ["ours"] })]);
    const live = await api.call("GET", `${definitions}/notes.${group}`);
    const spec = z.looseObject({ names: z.looseObject({}) }).parse(live.body["spec"]);
    const edited = { ...live.body, spec: { ...spec, names: { ...spec.names, categories: ["edited"] } } };
    expect((await api.call("PUT", `${definitions}/notes.${group}?fieldManager=kubectl-edit`, edited)).message).toBe("");
    await expect(installKinds(client, [noteKind(group, { categories: ["ours"] })])).rejects.toThrow(
      /owned by kubectl-edit/,
    );
  });

  test("says which names the server does not accept", async () => {
    const group = newGroup();
    const client = countingClient();
    await installKinds(client, [noteKind(group, { shortNames: ["nt"] })]);
    const clash = noteKind(group, { kind: "Memo", shortNames: ["nt"] });
    await expect(installKinds(client, [clash])).rejects.toThrow(
      /memos\.\S+: the API server does not accept its names: .*nt.*ShortNamesConflict.*; choose other names/,
    );
  });

  test("shows the server's own message for a rule that costs too much", async () => {
    const group = newGroup();
    const spec = z.object({
      names: validations(z.array(z.string()), [{ rule: "self.all(a, self.all(b, a == b))", message: "all the same" }]),
    });
    const refused = installKinds(countingClient(), [noteKind(group, { spec })]);
    await expect(refused).rejects.toThrow(InputError);
    await expect(refused).rejects.toThrow(/properties\[names\].*exceeds budget.*maxItems/s);
  });

  test("a kind that fails does not stop the others from being installed", async () => {
    const group = newGroup();
    const spec = z.object({ text: validations(z.string(), [{ rule: "self.nonsense()", message: "nonsense" }]) });
    const client = countingClient();
    await expect(installKinds(client, [noteKind(group, { spec }), toyWidget(group)])).rejects.toThrow(
      /undeclared reference/,
    );
    const [widget] = await installKinds(client, [toyWidget(group)]);
    expect(widget?.change).toBe("unchanged");
  });

  test("names the definition and the missing condition after the timeout", async () => {
    const group = newGroup();
    await expect(installKinds(countingClient(), [noteKind(group)], { timeoutMs: 0 })).rejects.toThrow(
      `CustomResourceDefinition notes.${group}: not Established after 0 s; last seen: NamesAccepted is`,
    );
  });

  test("stops when its signal is aborted", async () => {
    const group = newGroup();
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(installKinds(countingClient(), [noteKind(group)], { signal })).rejects.toThrow("enough");
  });

  test("says that a definition is being deleted", async () => {
    const group = newGroup();
    const client = countingClient();
    await installKinds(client, [noteKind(group)]);
    await untilServed(api, notes(group));
    const held = `${notes(group)}/a?fieldManager=test`;
    const note = { apiVersion: `${group}/v1alpha1`, kind: "Note", spec: { text: "a" } };
    await api.call("PATCH", held, { ...note, metadata: { name: "a", finalizers: ["tenon.test/held"] } });
    await api.call("DELETE", `${definitions}/notes.${group}`);
    await expect(installKinds(client, [noteKind(group)])).rejects.toThrow(/is being deleted since .*finalizers/);
    const released = await api.call("PATCH", held, { ...note, metadata: { name: "a" } });
    expect(released.message).toBe("");
  });
});

/** The server uses a changed definition some time after it has accepted it; nothing says when. */
async function untilRead(group: string, version: string, isRight: (body: unknown) => boolean): Promise<unknown> {
  const end = performance.now() + 300_000;
  for (;;) {
    const { body } = await api.call("GET", `${notes(group, version)}/a`);
    if (isRight(body)) return body;
    if (performance.now() > end) throw new Error(`not read after 5 min: ${JSON.stringify(body)}`);
    await systemClock.sleep(20);
  }
}
