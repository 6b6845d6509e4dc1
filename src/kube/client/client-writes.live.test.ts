import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConflictError, InputError } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { ApiError } from "../transport/api-error.ts";
import { createClient } from "./client.ts";
import type { ServerWarning } from "./client-context.ts";
import { FieldConflictError } from "./field-conflict-error.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import { defineLamps } from "./lamp-kind.fixture.ts";
import { type KubeObject, refOf } from "./object.ts";
import { connect } from "../transport/transport.ts";

const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
afterAll(() => transport[Symbol.asyncDispose]());
const warnings: ServerWarning[] = [];
const client = createClient(transport, { onWarning: (warning) => warnings.push(warning) });

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

describe("create, get, find", () => {
  it("create returns the object that get reads", async () => {
    const object = configMap(nextName(), { a: "1" });
    const created = await client.create(object, { fieldManager: "tenon-test" });
    expect(created).toMatchObject({ ...object, metadata: { ...object.metadata, uid: expect.any(String) } });
    expect(created.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["tenon-test"]);
    expect(await client.get(refOf(object))).toEqual(created);
    expect(await client.find(refOf(object))).toEqual(created);
  });

  it("create with generateName returns the generated name", async () => {
    const { metadata } = await client.create({ ...configMap("", {}), metadata: { namespace, generateName: "gen-" } });
    expect(metadata.name).toMatch(/^gen-.+/);
  });

  it("find returns undefined for an absent object, and get throws", async () => {
    const ref = refOf(configMap("absent", {}));
    expect(await client.find(ref)).toBeUndefined();
    expect(await failureOf(client.get(ref))).toMatchObject({ isNotFound: true, reason: "NotFound" });
  });

  it("create of an existing object is AlreadyExists", async () => {
    const object = configMap(nextName(), {});
    await client.create(object);
    expect(await failureOf(client.create(object))).toMatchObject({ isAlreadyExists: true, isConflict: false });
  });

  it("find of an unknown kind throws", async () => {
    const ref = { apiVersion: `${group}/v1`, kind: "Lampp", namespace, name: "a" };
    const error = await failureOf(client.find(ref));
    expect(error).toBeInstanceOf(InputError);
    expect(String(error)).toContain("did you mean Lamp?");
  });

  it("get with metadataOnly returns the metadata with the object's own kind", async () => {
    const object = configMap(nextName(), { password: "hunter22" });
    await client.create(object);
    const read = await client.get({ ...refOf(object), metadataOnly: true });
    expect(Object.keys(read).toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
    expect(read).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: object.metadata.name } });
  });
});

describe("strict validation", () => {
  it.each([
    {
      reason: "create of a built-in kind",
      write: (name: string) => client.create({ ...configMap(name, {}), dataa: {} }),
      names: 'unknown field "dataa"',
    },
    {
      reason: "create of a custom kind",
      write: (name: string) => client.create(lamp(name, { watts: 5, wats: 1 })),
      names: 'unknown field "spec.wats"',
    },
    {
      reason: "apply of a built-in kind",
      write: (name: string) => client.apply({ ...configMap(name, {}), dataa: {} }, { fieldManager: "t" }),
      names: ".dataa: field not declared in schema",
    },
    {
      reason: "apply of a custom kind",
      write: (name: string) => client.apply(lamp(name, { watts: 5, wats: 1 }), { fieldManager: "t" }),
      names: ".spec.wats: field not declared in schema",
    },
  ])("$reason names the unknown field, and writes nothing", async ({ write, names }) => {
    const name = nextName();
    const error = await failureOf(write(name));
    expect(error).toBeInstanceOf(InputError);
    expect(String(error)).toContain(names);
    expect(String(error)).toContain(`${namespace}/${name}`);
    expect(await client.find(refOf(configMap(name, {})))).toBeUndefined();
    expect(await client.find(refOf(lamp(name, {})))).toBeUndefined();
  });

  it("a patch of a Secret names the unknown field, and does not repeat the Secret", async () => {
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace, name: nextName() },
      stringData: { a: "hunter22" },
    };
    await client.create(secret);
    const error = await failureOf(client.patch(refOf(secret), { type: "merge", body: { dataa: {} } }));
    expect(error).toBeInstanceOf(InputError);
    expect(String(error)).toContain('unknown field "dataa"');
    expect(String(error)).not.toContain(Buffer.from("hunter22").toString("base64").slice(0, 8));
  });

  it("a violated schema rule stays an ApiError", async () => {
    const error = await failureOf(client.create(lamp(nextName(), { watts: 0 })));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ isInvalid: true });
    expect(String(error)).toContain("spec.watts");
  });

  it("onWarning gets the server's warnings if validation is not strict", async () => {
    const name = nextName();
    warnings.length = 0;
    await client.create({ ...configMap(name, {}), dataa: {} }, { fieldValidation: "Warn" });
    expect(warnings).toEqual([
      {
        text: 'unknown field "dataa"',
        cluster: transport.cluster,
        request: `POST /api/v1/namespaces/${namespace}/configmaps`,
      },
    ]);
  });
});

describe("apply", () => {
  it("apply creates and changes, and a second apply changes nothing", async () => {
    const name = nextName();
    const first = await client.apply(configMap(name, { a: "1" }), { fieldManager: "one" });
    const second = await client.apply(configMap(name, { a: "2", b: "3" }), { fieldManager: "one" });
    expect(second).toMatchObject({ data: { a: "2", b: "3" }, metadata: { uid: first.metadata.uid } });
    const third = await client.apply(configMap(name, { a: "2", b: "3" }), { fieldManager: "one" });
    expect(third.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    expect(await client.apply(configMap(name, { b: "3" }), { fieldManager: "one" })).toMatchObject({
      data: { b: "3" },
    });
  });

  it("apply with metadataOnly returns only the metadata", async () => {
    const object = lamp(nextName(), { watts: 5 });
    const applied = await client.apply(object, { fieldManager: "one", metadataOnly: true });
    const { metadata } = await client.get(refOf(object));
    expect(applied).toEqual({ apiVersion: object.apiVersion, kind: "Lamp", metadata });
  });

  it("apply names the other manager and each field, unless forced", async () => {
    const name = nextName();
    await client.apply(configMap(name, { a: "1", b: "1", c: "1" }), { fieldManager: "first-owner" });
    await client.apply(configMap(name, { d: "1" }), { fieldManager: "second-owner" });
    const desired = configMap(name, { a: "2", c: "2", d: "2" });

    const error = await failureOf(client.apply(desired, { fieldManager: "tenon" }));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toBeInstanceOf(FieldConflictError);
    expect(error).toMatchObject({ owner: "first-owner, second-owner", cause: { isConflict: true } });
    expect(String(error)).toContain(
      `ConfigMap ${namespace}/${name}: other field managers own fields that differ: .data.a, .data.c (first-owner); .data.d (second-owner)`,
    );
    expect(await client.get(refOf(desired))).toMatchObject({ data: { a: "1", b: "1", c: "1", d: "1" } });

    const forced = await client.apply(desired, { fieldManager: "tenon", force: true });
    expect(forced).toMatchObject({ data: { a: "2", b: "1", c: "2", d: "2" } });
  });

  it("apply with subresource status changes only the status", async () => {
    const name = nextName();
    await client.apply(lamp(name, { watts: 5 }), { fieldManager: "tenon" });
    const desired = { ...lamp(name, { watts: 9 }), status: { isLit: true } };
    const applied = await client.apply(desired, { fieldManager: "tenon-status", subresource: "status" });
    expect(applied).toMatchObject({ spec: { watts: 5 }, status: { isLit: true } });
  });

  it("apply ignores the namespace of a cluster-scoped object, as charts expect", async () => {
    const name = `${namespace}-role`;
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { namespace, name },
      rules: [],
    };
    const applied = await client.apply(role, { fieldManager: "tenon" });
    expect(applied.metadata.namespace).toBeUndefined();
    await client.delete(refOf(role));
    expect(await client.find(refOf(role))).toBeUndefined();
  });
});

describe("dry run", () => {
  it("a dry run answers like a real write, and writes nothing", async () => {
    const existing = await client.create(configMap(nextName(), { a: "1" }));
    const absent = configMap(nextName(), { a: "1" });
    const dryRun = true;
    const changed = { ...existing, data: { a: "2" } };
    expect(await client.create(absent, { dryRun })).toMatchObject({ data: { a: "1" } });
    expect(await client.apply(absent, { fieldManager: "t", dryRun })).toMatchObject({ data: { a: "1" } });
    expect(await client.replace(changed, { dryRun })).toMatchObject({ data: { a: "2" } });
    const patched = await client.patch(refOf(existing), { type: "merge", body: { data: { a: "3" } }, dryRun });
    expect(patched).toMatchObject({ data: { a: "3" } });
    await client.delete(refOf(existing), { dryRun });
    expect(await client.find(refOf(absent))).toBeUndefined();
    expect(await client.get(refOf(existing))).toEqual(existing);
  });
});
