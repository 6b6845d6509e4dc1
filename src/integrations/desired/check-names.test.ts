import { expect, test } from "vitest";
import { checkNames } from "./check-names.ts";
import { sampleSharded } from "./sample-target.fixture.ts";

test("names of integrations and shards that are fine", () => {
  const sharded = [
    sampleSharded({ integration: "a-1" }, ["-0", "-1"]),
    sampleSharded({ integration: "b" }, ["-eu.x-1"]),
  ];
  expect(checkNames(sharded)).toEqual([]);
});

test.each([
  { reason: "B-18: a dot, which no parameter can have", name: "a.b" },
  { reason: "B-18: an underscore", name: "a_b" },
  { reason: "a capital letter", name: "Ab" },
  { reason: "a hyphen at the end", name: "a-" },
  { reason: "B-10: more than a label may have", name: "a".repeat(64) },
])("refuses an integration's name with $reason", ({ name }) => {
  expect(checkNames([sampleSharded({ integration: name })])).toMatchObject([{ integration: name, at: ["name"] }]);
});

test("C-11: all shards that no object can be named after are named together", () => {
  const [found, ...more] = checkNames([sampleSharded({}, ["-ok", "-Bad", "-under_score", "-"])]);
  expect(more).toEqual([]);
  expect(found?.what).toBe('a: shards "Bad", "under_score", "" cannot be part of an object name');
});

test("G8-07: an integration that is in a namespace twice is an error in both targets", () => {
  const sharded = [sampleSharded({}), sampleSharded({ index: 1 }), sampleSharded({ integration: "b" })];
  expect(checkNames(sharded).map(({ integration, at }) => [integration, at])).toEqual([
    ["a", ["managed", 0, "namespace"]],
    ["a", ["managed", 1, "namespace"]],
  ]);
});

test("a shard and another integration of the same name clash, unless one of them runs on a schedule", () => {
  const sharded = [sampleSharded({}, ["-0", "-1"]), sampleSharded({ integration: "a-0" })];
  expect(checkNames(sharded).map(({ integration }) => integration)).toEqual(["a", "a-0"]);
  const scheduled = [sampleSharded({}, ["-0"]), sampleSharded({ integration: "a-0", spec: { cron: "@daily" } })];
  expect(checkNames(scheduled)).toEqual([]);
});
