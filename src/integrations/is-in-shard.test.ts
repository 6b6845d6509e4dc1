import { expect, test } from "vitest";
import { isInShard, shardFromEnvironment, shardLabel } from "./is-in-shard.ts";

test.each([
  { value: "cluster-1", shards: 2, shardId: 1 },
  { value: "cluster-1", shards: 3, shardId: 0 },
  { value: "cluster-1", shards: 5, shardId: 1 },
  { value: "cluster-2", shards: 2, shardId: 0 },
  { value: "cluster-2", shards: 3, shardId: 0 },
  { value: "cluster-2", shards: 5, shardId: 4 },
  { value: "app-sre", shards: 2, shardId: 0 },
  { value: "app-sre", shards: 3, shardId: 1 },
  { value: "app-sre", shards: 5, shardId: 0 },
  { value: "ns-a/foo", shards: 2, shardId: 0 },
  { value: "ns-a/foo", shards: 3, shardId: 0 },
  { value: "ns-a/foo", shards: 5, shardId: 2 },
])(
  "C-17, G4-16: a value is in exactly one shard, by its hash: $value, $shardId, $shards",
  ({ value, shards, shardId }) => {
    const ids = Array.from({ length: shards }, (_, id) => id);
    expect(ids.filter((id) => isInShard(value, { shards, shardId: id }))).toEqual([shardId]);
  },
);

test("C-17: with one shard, every value is in it", () => {
  expect(isInShard("anything", { shards: 1, shardId: 0 })).toBe(true);
});

test("C-18: the name of a shard is its key, or else its number", () => {
  expect(shardLabel(shardFromEnvironment({ SHARDS: "3", SHARD_ID: "2" }))).toBe("2-3");
  expect(shardLabel(shardFromEnvironment({ SHARD_KEY: "cluster-1" }))).toBe("cluster-1");
  expect(shardLabel(shardFromEnvironment({ SHARDS: "", SHARD_ID: "" }))).toBe("0-1");
});

test.each([
  { reason: "no number", env: { SHARDS: "two" } },
  { reason: "a shard that does not exist", env: { SHARDS: "2", SHARD_ID: "2" } },
  { reason: "no shards", env: { SHARDS: "0" } },
])("refuses $reason", ({ env }) => {
  expect(() => shardFromEnvironment(env)).toThrow(/SHARD/);
});
