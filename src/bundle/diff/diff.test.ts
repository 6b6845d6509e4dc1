import { describe, expect, test } from "vitest";
import type { JsonValue } from "#base";
import { fc } from "#seeded";
import { sampleBundle } from "../sample-bundle.fixture.ts";
import { diffBundles, diffJson } from "./diff-bundles.ts";
import { diffValues } from "./diff-values.ts";

const app = (name: string) => ({ $schema: "/app-sre/app-1.yml", name });
const base = sampleBundle({
  data: { "/same.yml": app("same"), "/changed.yml": app("before"), "/gone.yml": app("gone") },
  resources: { "/same": "same", "/changed": "before", "/gone": "gone" },
});
const head = sampleBundle({
  data: { "/new.yml": app("new"), "/changed.yml": app("after"), "/same.yml": app("same") },
  resources: { "/same": "same", "/changed": "after", "/new": "new" },
});

test("diffBundles lists files that were added, removed or changed, by path", () => {
  const { datafiles, resources } = diffBundles(base, head);
  expect(
    datafiles.map(({ path, old, new: current }) => [path, old?.content["name"], current?.content["name"]]),
  ).toEqual([
    ["/changed.yml", "before", "after"],
    ["/gone.yml", "gone", undefined],
    ["/new.yml", undefined, "new"],
  ]);
  expect(resources.map(({ path, old, new: current }) => [path, old?.content, current?.content])).toEqual([
    ["/changed", "before", "after"],
    ["/gone", "gone", undefined],
    ["/new", undefined, "new"],
  ]);
  expect(diffBundles(base, base)).toEqual({ datafiles: [], resources: [] });
});

test("G9-10: diffJson has the format of qontract-server", () => {
  expect(diffJson(base, head)).toMatchObject({
    datafiles: {
      "/changed.yml": {
        datafilepath: "/changed.yml",
        datafileschema: "/app-sre/app-1.yml",
        old: { path: "/changed.yml", name: "before" },
        new: { path: "/changed.yml", name: "after" },
      },
      "/gone.yml": { datafilepath: "/gone.yml", datafileschema: "/app-sre/app-1.yml" },
    },
    resources: { "/new": { resourcepath: "/new", new: { path: "/new", content: "new", $schema: null } } },
  });
});

describe("diffValues finds", () => {
  test.each<{ reason: string; old: JsonValue; new: JsonValue; changes: unknown[] }>([
    {
      reason: "no difference in equal values",
      old: { a: [1, { b: null }] },
      new: { a: [1, { b: null }] },
      changes: [],
    },
    {
      reason: "a nested difference",
      old: { a: { b: 1, c: 2 } },
      new: { a: { b: 3, c: 2 } },
      changes: [{ at: ["a", "b"], old: 1, new: 3 }],
    },
    {
      reason: "an added and a removed field",
      old: { a: 1 },
      new: { b: null },
      changes: [
        { at: ["a"], old: 1 },
        { at: ["b"], new: null },
      ],
    },
    { reason: "an added item", old: [1], new: [1, 2], changes: [{ at: [1], new: 2 }] },
    { reason: "a changed type", old: { a: [] }, new: { a: {} }, changes: [{ at: ["a"], old: [], new: {} }] },
    {
      reason: "a field called constructor",
      old: {},
      new: { constructor: 1 },
      changes: [{ at: ["constructor"], new: 1 }],
    },
    { reason: "a change from null", old: { a: null }, new: { a: 0 }, changes: [{ at: ["a"], old: null, new: 0 }] },
  ])("$reason", ({ old, new: current, changes }) => {
    expect(diffValues(old, current)).toEqual(changes);
  });

  test("no difference between a value and its copy", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value));
        expect(diffValues(json, structuredClone(json))).toEqual([]);
      }),
    );
  });
});
