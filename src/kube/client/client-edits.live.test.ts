import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { createClient } from "./client.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import { defineLamps } from "./lamp-kind.fixture.ts";
import { type KubeObject, refOf } from "./object.ts";
import { connect } from "../transport/transport.ts";

const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
afterAll(() => transport[Symbol.asyncDispose]());
const client = createClient(transport);

const group = `${namespace}.tenon.dev`;
const definition = defineLamps(group);

beforeAll(async () => {
  await client.create(definition);
  await client.discovery.whenServed({ apiVersion: `${group}/v1`, kind: "Lamp" }, AbortSignal.timeout(300_000));
});
afterAll(() => client.delete(refOf(definition)));

let serial = 0;
const nextName = () => `n-${++serial}`;

function configMap(name: string, data: Record<string, unknown>): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data };
}

function lamp(name: string, spec: object): KubeObject {
  return { apiVersion: `${group}/v1`, kind: "Lamp", metadata: { namespace, name }, spec };
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => expect.unreachable("the call should have failed"),
    (error: unknown) => error,
  );
}

describe("replace", () => {
  it("replace succeeds for the version that was read, and fails after a change", async () => {
    const read = await client.create(configMap(nextName(), { a: "1" }));
    const replaced = await client.replace({ ...read, data: { b: "2" } }, { fieldManager: "tenon" });
    expect(replaced["data"]).toEqual({ b: "2" });
    const error = await failureOf(client.replace({ ...read, data: { c: "3" } }));
    expect(error).toMatchObject({ isConflict: true });
    expect(await client.get(refOf(read))).toEqual(replaced);
  });

  it("replace with subresource status changes only the status", async () => {
    const read = await client.create(lamp(nextName(), { watts: 5 }));
    const lit = { ...read, spec: { watts: 6 }, status: { isLit: true } };
    expect(await client.replace(lit, { subresource: "status" })).toMatchObject({
      spec: { watts: 5 },
      status: { isLit: true },
    });
  });

  it("replace refuses an object without a resourceVersion", async () => {
    expect(await failureOf(client.replace(configMap("any", {})))).toBeInstanceOf(InputError);
  });
});

describe("patch", () => {
  it("patch merges", async () => {
    const { metadata } = await client.create(configMap(nextName(), { a: "1", b: "2" }));
    const ref = refOf(configMap(metadata.name, {}));
    const patched = await client.patch(ref, { type: "merge", body: { data: { a: null, c: "3" } }, fieldManager: "p" });
    expect(patched["data"]).toEqual({ b: "2", c: "3" });
    expect(patched.metadata.managedFields?.map(({ manager }) => manager)).toContain("p");
  });

  it("a JSON patch is applied completely or not at all", async () => {
    const object = await client.create(configMap(nextName(), { a: "1" }));
    const body = [
      { op: "add", path: "/data/b", value: "2" },
      { op: "test", path: "/data/a", value: "other" },
    ];
    expect(await failureOf(client.patch(refOf(object), { type: "json", body }))).toMatchObject({ status: 422 });
    expect(await client.get(refOf(object))).toEqual(object);
    const patched = await client.patch(refOf(object), { type: "json", body: body.slice(0, 1) });
    expect(patched["data"]).toEqual({ a: "1", b: "2" });
  });

  it("patch changes a status", async () => {
    const object = await client.create(lamp(nextName(), { watts: 5 }));
    const patch = { type: "merge", body: { status: { isLit: false } }, subresource: "status" } as const;
    expect(await client.patch(refOf(object), patch)).toMatchObject({ status: { isLit: false } });
  });
});

describe("delete", () => {
  it("delete succeeds, also for an absent object", async () => {
    const object = await client.create(configMap(nextName(), {}));
    await client.delete(refOf(object));
    expect(await client.find(refOf(object))).toBeUndefined();
    await client.delete(refOf(object));
  });

  it("delete refuses another object of the same name, or one that has changed", async () => {
    const object = await client.create(configMap(nextName(), {}));
    const { uid = "", resourceVersion } = object.metadata;
    const other = uid.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    expect(await failureOf(client.delete(refOf(object), { uid: other }))).toMatchObject({ isConflict: true });
    await client.patch(refOf(object), { type: "merge", body: { data: { a: "1" } } });
    expect(await failureOf(client.delete(refOf(object), { uid, resourceVersion }))).toMatchObject({ isConflict: true });
    expect(await client.find(refOf(object))).toBeDefined();
    await client.delete(refOf(object), { uid });
    expect(await client.find(refOf(object))).toBeUndefined();
  });

  it.each([
    { propagation: "Background", finalizers: undefined },
    { propagation: "Foreground", finalizers: ["foregroundDeletion"] },
    { propagation: "Orphan", finalizers: ["orphan"] },
  ] as const)("deletes with propagation $propagation", async ({ propagation, finalizers }) => {
    // Our own finalizer keeps the object. That of the propagation may be gone within milliseconds, but a watch shows it.
    const own = "tenon.dev/test";
    const { metadata, ...rest } = configMap(nextName(), {});
    const object = await client.create({ ...rest, metadata: { ...metadata, finalizers: [own] } });
    await client.delete(refOf(object), { propagation });
    expect((await markedForDeletion(object))?.toSorted()).toEqual([own, ...(finalizers ?? [])].toSorted());
    await client.patch(refOf(object), { type: "merge", body: { metadata: { finalizers: null } } });
  });
});

it.each(["../x", "a/b", "", "a\nb", ".."])("refuses the name %j before anything is sent", async (name) => {
  let sent = 0;
  const counting = createClient({ ...transport, send: (...call) => (sent++, transport.send(...call)) });
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name };
  const object = { ...ref, metadata: { namespace, name, resourceVersion: "1" } };
  const calls = [
    () => counting.get(ref),
    () => counting.find(ref),
    () => counting.get({ ...ref, name: "a", namespace: name }),
    () => counting.list({ ...ref, namespace: name }),
    () => counting.create(object),
    () => counting.apply(object, { fieldManager: "t" }),
    () => counting.replace(object),
    () => counting.patch(ref, { type: "merge", body: {} }),
    () => counting.delete(ref),
    () => Array.fromAsync(counting.watch({ ...ref, namespace: name }, {}, AbortSignal.timeout(300_000))),
  ];
  for (const call of calls) expect(await failureOf(call())).toBeInstanceOf(InputError);
  expect(sent).toBe(0);
});

/** The finalizers with which the object was first seen to be on its way out. */
async function markedForDeletion({ apiVersion, kind, metadata }: KubeObject): Promise<readonly string[] | undefined> {
  const selection = { apiVersion, kind, namespace, fieldSelector: `metadata.name=${metadata.name}` };
  const options = { resourceVersion: metadata.resourceVersion ?? "" };
  for await (const event of client.watch(selection, options, AbortSignal.timeout(300_000))) {
    if (event.type === "MODIFIED" && event.object.metadata.deletionTimestamp) return event.object.metadata.finalizers;
  }
  return undefined;
}
