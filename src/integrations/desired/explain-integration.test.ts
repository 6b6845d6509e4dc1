import { expect, test } from "vitest";
import { type FieldPath, formatFieldPath } from "#base";
import { explainIntegration } from "./explain-integration.ts";
import { environment, integration, managed, sampleData, sampleOptions } from "./sample-world.fixture.ts";

const { signal } = new AbortController();

test("every field of every shard has its value, its source and what that overrode", async () => {
  const resources = { limits: { memory: "4Gi" } };
  const sharding = {
    strategy: "per-openshift-cluster",
    shardSpecOverrides: [{ shard: { $ref: "/clusters/c2.yml" }, imageRef: "v2", resources }],
  };
  const data = sampleData({
    "/environments/test.yml": environment("test", { DRY_RUN: "--no-dry-run", IMAGE_TAG: "env" }),
    "/integrations/a.yml": integration("openshift-routes", [managed("test", { imageRef: "v1" }, sharding)]),
    "/integrations/b.yml": integration("b", [managed("test")]),
  });
  const options = sampleOptions({ processEnv: { DRY_RUN: "--dry-run" }, imageTagFromRef: new Map([["test", "main"]]) });
  const { places, errors } = await explainIntegration(data, "openshift-routes", options, signal);
  expect(errors).toEqual([]);
  expect(places).toMatchObject([{ cluster: "c1", namespace: "tools", environment: "test" }]);
  const [shards = []] = places.map((target) => target.shards);
  expect(shards.map(({ name }) => name)).toEqual(["openshift-routes-c1", "openshift-routes-c2"]);
  const [first, second] = shards.map(({ fields }) => new Map(fields.map((field) => [field.field, field])));
  const entry = "/integrations/a.yml managed[0]";
  expect(first?.get("imageRef")).toEqual({
    field: "imageRef",
    value: "v1",
    source: "spec",
    where: `${entry}.spec.imageRef`,
    overrode: [],
  });
  expect(second?.get("imageRef")).toEqual({
    field: "imageRef",
    value: "v2",
    source: "override",
    where: `${entry}.sharding.shardSpecOverrides[0].imageRef`,
    overrode: [{ value: "v1", source: "spec", where: `${entry}.spec.imageRef` }],
  });
  expect(second?.get("resources.limits.memory")).toMatchObject({
    value: "4Gi",
    source: "override",
    overrode: [{ value: "1Gi" }],
  });
  expect(second?.has("resources.requests.cpu")).toBe(false);
  expect(second?.get("SHARD_KEY")).toMatchObject({ value: "c2", source: "sharding" });
  expect(first?.get("DRY_RUN")).toEqual({
    field: "DRY_RUN",
    value: "--dry-run",
    source: "process environment",
    where: "DRY_RUN",
    overrode: [
      { value: "--no-dry-run", source: "environment", where: "test" },
      { value: "--dry-run", source: "chart default", where: undefined },
    ],
  });
  expect(first?.has("SLACK_CHANNEL")).toBe(false);
});

test("one that the chart refuses is explained all the same, with the error", async () => {
  const data = sampleData({ "/integrations/a.yml": integration("a", [managed("test", { carrierPigeon: true })]) });
  const { places, errors } = await explainIntegration(data, "a", sampleOptions(), signal);
  expect(errors).toMatchObject([{ what: expect.stringContaining("carrierPigeon") }]);
  expect(places[0]?.shards[0]?.fields).toContainEqual(expect.objectContaining({ field: "carrierPigeon", value: true }));
});

test("a target that the data suspends is explained with the reason", async () => {
  const suspend = { reason: "frozen" };
  const entries = [managed("test"), { ...managed("prod"), suspend }];
  const data = sampleData({ "/integrations/a.yml": integration("a", entries) });
  const { places } = await explainIntegration(data, "a", sampleOptions(), signal);
  expect(places.map(({ environment: name, suspended }) => [name, suspended])).toEqual([
    ["test", undefined],
    ["prod", "frozen"],
  ]);
});

const routes = integration("openshift-routes", [
  managed(
    "test",
    { resources: { requests: { cpu: "200m", memory: "2Gi" }, limits: { cpu: "1", memory: "2Gi" } } },
    {
      strategy: "per-openshift-cluster",
      shardSpecOverrides: [
        {
          shard: { $ref: "/clusters/c2.yml" },
          resources: { requests: { cpu: "2", memory: "8Gi" }, limits: { memory: "8Gi" } },
        },
      ],
    },
  ),
]);

async function locate(file: string, at: FieldPath): Promise<string> {
  return `${file}#${formatFieldPath(at)}`;
}

async function explainRoutes(more: object = {}, parameters: Record<string, string> = {}) {
  const data = sampleData({
    "/environments/test.yml": environment("test", parameters),
    "/integrations/openshift-routes.yml": routes,
  });
  const { places } = await explainIntegration(data, "openshift-routes", sampleOptions({ locate, ...more }), signal);
  return places.flatMap(({ shards }) =>
    shards.map(({ name, fields }) => ({ name, fields: new Map(fields.map((field) => [field.field, field])) })),
  );
}

const ofEntry = "/integrations/openshift-routes.yml#managed[0]";

test("a parameter whose default the chart takes from a setting comes from the line of that setting", async () => {
  const [whole] = await explainRoutes();
  expect(whole?.fields.get("OPENSHIFT_ROUTES_CPU_LIMIT")).toEqual({
    field: "OPENSHIFT_ROUTES_CPU_LIMIT",
    value: "1",
    source: "spec",
    where: `${ofEntry}.spec.resources.limits.cpu`,
    overrode: [],
  });
  // Both are 2Gi, and each has its own line.
  expect(whole?.fields.get("OPENSHIFT_ROUTES_MEMORY_LIMIT")?.where).toBe(`${ofEntry}.spec.resources.limits.memory`);
  expect(whole?.fields.get("OPENSHIFT_ROUTES_MEMORY_REQUEST")?.where).toBe(`${ofEntry}.spec.resources.requests.memory`);
  expect(whole?.fields.get("DRY_RUN")).toMatchObject({ source: "chart default" });
});

test("a shard with resources of its own has them from its override, and no parameter of the others", async () => {
  const [, overridden] = await explainRoutes();
  expect(overridden?.name).toBe("openshift-routes-c2");
  expect(overridden?.fields.get("resources.limits.memory")).toMatchObject({
    value: "8Gi",
    source: "override",
    where: `${ofEntry}.sharding.shardSpecOverrides[0].resources.limits.memory`,
  });
  expect(overridden?.fields.has("OPENSHIFT_ROUTES_CPU_LIMIT")).toBe(false);
});

test("a parameter of an environment comes from the line of the environment's file, instead of the setting", async () => {
  const [whole] = await explainRoutes({}, { OPENSHIFT_ROUTES_CPU_LIMIT: "4" });
  expect(whole?.fields.get("OPENSHIFT_ROUTES_CPU_LIMIT")).toEqual({
    field: "OPENSHIFT_ROUTES_CPU_LIMIT",
    value: "4",
    source: "environment",
    where: "/environments/test.yml#parameters.OPENSHIFT_ROUTES_CPU_LIMIT",
    overrode: [{ value: "1", source: "spec", where: `${ofEntry}.spec.resources.limits.cpu` }],
  });
});

test("arguments come from the setting that has them, and shards that no file asks for are built in", async () => {
  const data = sampleData({ "/integrations/a.yml": integration("a", [managed("test", { extraArgs: "--fast" })]) });
  const { places } = await explainIntegration(data, "a", sampleOptions(), signal);
  const fields = new Map(places[0]?.shards[0]?.fields.map((field) => [field.field, field]));
  expect(fields.get("INTEGRATION_EXTRA_ARGS")).toMatchObject({
    source: "spec",
    where: "/integrations/a.yml managed[0].spec.extraArgs",
  });
  expect(fields.get("SHARDS")).toMatchObject({ value: "1", source: "built-in default" });
});

test.for(["openshift-routes-c2", "c2"])("one shard is explained alone by %s", async (shard) => {
  expect((await explainRoutes({ shard })).map(({ name }) => name)).toEqual(["openshift-routes-c2"]);
});

test("a shard that is not there is an error that names those that are", async () => {
  await expect(explainRoutes({ shard: "zzz" })).rejects.toMatchObject({
    what: "openshift-routes has no shard zzz",
    next: "its shards: openshift-routes-c1, openshift-routes-c2",
  });
});
