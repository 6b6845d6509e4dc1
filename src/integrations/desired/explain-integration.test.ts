import { expect, test } from "vitest";
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
