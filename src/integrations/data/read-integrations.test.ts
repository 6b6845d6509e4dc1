import { expect, test } from "vitest";
import type { Queryable } from "#bundle";
import { cluster, integration, managed, namespace, sampleData } from "../desired/sample-world.fixture.ts";
import { readIntegrations } from "./read-integrations.ts";

const { signal } = new AbortController();

async function read(data: Queryable, upstream?: string) {
  const { integrations, errors, warnings, upstreams } = await readIntegrations(data, { upstream }, signal);
  return {
    integrations,
    upstreams,
    targets: integrations.flatMap(({ targets }) => targets),
    errors: errors.map(({ integration: name, what, at, namespace: target }) => ({ name, what, at, target })),
    warnings: warnings.map(({ what }) => what),
  };
}

/** As a server gives it: without the files. */
function served(data: Queryable): Queryable {
  return { identity: data.identity, query: (document, variables) => data.query(document, variables) };
}

test("A-30: the fields of clusters and namespaces that decide whether they are managed are read, and absent fields stay absent", async () => {
  const secret = { path: "p", field: "f" };
  const token = { name: "n", namespace: "ns", active: true, secret };
  const { targets, errors } = await read(
    sampleData({
      "/clusters/c3.yml": cluster("c3", {
        internal: true,
        insecureSkipTLSVerify: true,
        disable: { integrations: ["integrations-manager"] },
        automationToken: { ...secret, version: 2, format: "base64" },
        automationTokens: [token],
        labels: { zone: "eu" },
      }),
      "/namespaces/leaving.yml": namespace("leaving", "test", "c3", { delete: true }),
      "/integrations/a.yml": integration("a", [managed("/namespaces/leaving.yml"), managed("test")]),
    }),
  );
  expect(errors).toEqual([]);
  expect(targets[0]?.namespace).toEqual({
    path: "/namespaces/leaving.yml",
    name: "leaving",
    delete: true,
    environment: { name: "test", parameters: {} },
    cluster: {
      name: "c3",
      serverUrl: "https://c3.example",
      internal: true,
      insecureSkipTlsVerify: true,
      disabledIntegrations: ["integrations-manager"],
      automationToken: { ...secret, version: 2, format: "base64" },
      automationTokens: [{ ...token, delete: false }],
      labels: { zone: "eu" },
    },
  });
  expect(targets[1]?.namespace.cluster).toMatchObject({ disabledIntegrations: [], automationTokens: [], labels: {} });
});

test("settings that no schema knows are read too, beside and inside those that one does", async () => {
  const spec = { podAnnotations: { a: "b" }, logs: { slack: true, carrierPigeon: true }, extraEnv: null, state: false };
  const { targets } = await read(
    served(sampleData({ "/integrations/a.yml": integration("a", [managed("test", spec)]) })),
  );
  expect(targets[0]?.spec).toMatchObject({
    podAnnotations: { a: "b" },
    logs: { slack: true, carrierPigeon: true },
    state: false,
  });
  expect(targets[0]?.spec).not.toHaveProperty("extraEnv");
});

test("G3-15: resource quantities that are written as numbers are read as strings", async () => {
  const spec = { resources: { requests: { cpu: 1, memory: "1Gi" }, limits: { cpu: 0.5, memory: "1Gi" } } };
  const { targets } = await read(sampleData({ "/integrations/a.yml": integration("a", [managed("test", spec)]) }));
  expect(targets[0]?.spec["resources"]).toEqual({
    requests: { cpu: "1", memory: "1Gi" },
    limits: { cpu: "0.5", memory: "1Gi" },
  });
});

test("a server that has none of our fields is asked without them", async () => {
  const data = sampleData({ "/integrations/a.yml": integration("a", [managed("test", { unknown: 1 })]) });
  const documents: string[] = [];
  const foreign: Queryable = {
    identity: "foreign",
    async query(document, variables) {
      const answer = await data.query(document, variables);
      documents.push(document);
      return document.includes("__type") ? { data: { Integration_v1: { fields: [{ name: "path" }] } } } : answer;
    },
  };
  const { targets } = await read(foreign);
  expect(documents.at(-1)).not.toMatch(/settings|shardArguments|automationTokens/);
  expect(targets).toMatchObject([{ integration: "a", file: "/integrations/a.yml", shardArguments: undefined }]);
  expect(targets[0]?.spec).not.toHaveProperty("unknown");
});

test("A-31, G9-13: an error in one part of the answer drops that target only", async () => {
  const { integrations, errors } = await read(
    sampleData({
      "/integrations/a.yml": integration("a", [
        managed("test", {}, { strategy: "per-moon" }),
        managed("prod", {}, { strategy: "static", shards: 2 }),
      ]),
      "/integrations/b.yml": integration("b", [managed("test")]),
    }),
  );
  expect(integrations.map(({ name, targets }) => [name, targets.map(({ index }) => index)])).toEqual([
    ["a", [1]],
    ["b", [0]],
  ]);
  expect(errors).toMatchObject([{ name: "a", at: ["managed", 0, "sharding"], target: "/namespaces/test.yml" }]);
});

test("A-31: a missing namespace drops all targets of its integration", async () => {
  const { integrations, errors } = await read(
    sampleData({
      "/integrations/a.yml": integration("a", [managed("/namespaces/gone.yml"), managed("test")]),
      "/integrations/b.yml": integration("b", [managed("test")]),
    }),
  );
  expect(integrations.map(({ name, targets }) => [name, targets.length])).toEqual([
    ["a", 0],
    ["b", 1],
  ]);
  expect(errors).toMatchObject([{ name: "a", target: undefined }]);
});

test("A-31: an error outside of integrations fails the whole run", async () => {
  const broken = integration("a", [managed("test")]);
  const { name: _, ...nameless } = broken;
  const data = sampleData({
    "/integrations/a.yml": nameless,
    "/integrations/b.yml": integration("b", [managed("test")]),
  });
  await expect(read(data)).rejects.toThrow("Integration_v1.name");
});

const twoForms = integration("a", [managed("test")], { operate: [managed("prod")] });

test.each([
  { reason: "read from files", of: (data: Queryable) => data },
  { reason: "asked of a server", of: served },
])("operate is managed, and both together are refused: $reason", async ({ of }) => {
  const { managed: entries, ...old } = integration("old", [managed("test", { shards: 2 })]);
  const data = of(
    sampleData({ "/integrations/a.yml": twoForms, "/integrations/old.yml": { ...old, operate: entries ?? [] } }),
  );
  const { targets, errors } = await read(data);
  expect(targets).toMatchObject([{ integration: "old", sharding: { strategy: "static", shards: 2 } }]);
  expect(targets[0]?.spec).not.toHaveProperty("shards");
  expect(errors).toMatchObject([{ name: "a", what: expect.stringContaining("old name of managed") }]);
});

test("null requests and limits count as absent, with a warning", async () => {
  const spec = { resources: { requests: null, limits: null } };
  const { targets, warnings } = await read(
    sampleData({ "/integrations/a.yml": integration("a", [managed("test", spec)]) }),
  );
  expect(targets[0]?.spec).toEqual({ resources: {} });
  expect(warnings).toEqual([
    "managed[0].spec.resources.requests is null and counts as absent",
    "managed[0].spec.resources.limits is null and counts as absent",
  ]);
});

test("a schedule that is none is an error of its target", async () => {
  const entries = [managed("test", { cron: "0 25 * * *" }), managed("prod", { cron: "@hourly" })];
  const { targets, errors } = await read(sampleData({ "/integrations/a.yml": integration("a", entries) }));
  expect(targets.map(({ index }) => index)).toEqual([1]);
  expect(errors).toMatchObject([{ name: "a", at: ["managed", 0, "spec", "cron"] }]);
});

test("G8-05: with an upstream, only integrations of exactly that upstream are read, and their errors too", async () => {
  const data = sampleData({
    "/integrations/a.yml": integration("a", [managed("test")], { upstream: "U" }),
    "/integrations/b.yml": integration("b", [managed("test")]),
    "/integrations/c.yml": integration("c", [managed("/gone.yml")], { upstream: "V" }),
  });
  const some = await read(data, "U");
  expect(some.integrations.map(({ name }) => name)).toEqual(["a"]);
  expect(some.errors).toEqual([]);
  expect(some.upstreams).toEqual(new Set(["U", undefined, "V"]));
  const all = await read(data);
  expect(all.integrations.map(({ name }) => name)).toEqual(["a", "b", "c"]);
});
