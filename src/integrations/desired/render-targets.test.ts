import { expect, test } from "vitest";
import { chartValues, valueOrigin } from "./render-targets.ts";
import { sampleSharded } from "./sample-target.fixture.ts";

const plain = sampleSharded({ spec: { cache: true, extraArgs: "--x", unknown: { deep: 1 } } }, ["-0", "-1"]);
const scheduled = sampleSharded({ integration: "b", spec: { cron: "@daily" } });

test("B-5: integrations with a schedule are a separate list of the values, and every setting keeps its name", () => {
  expect(chartValues([scheduled, plain])).toEqual({
    integrations: [{ name: "a", cache: true, extraArgs: "--x", unknown: { deep: 1 }, shard_specs: plain.shards }],
    cronjobs: [{ name: "b", cron: "@daily", shard_specs: scheduled.shards }],
  });
});

test("a setting cannot take the place of the name or the shards", () => {
  const { integrations } = chartValues([sampleSharded({ spec: { name: "x", shard_specs: [] } })]);
  expect(integrations).toMatchObject([{ name: "a", shard_specs: [{}] }]);
});

test("a value is known by the field it comes from", () => {
  const sharded = [scheduled, plain];
  expect(valueOrigin(sharded, ["integrations", 0, "unknown", "deep"])).toEqual({
    target: plain.target,
    at: ["spec", "unknown", "deep"],
  });
  expect(valueOrigin(sharded, ["cronjobs", 0, "shard_specs", 0, "shards"])).toEqual({
    target: scheduled.target,
    at: ["sharding"],
  });
  expect(valueOrigin(sharded, ["cronjobs", 1])).toBeUndefined();
});
