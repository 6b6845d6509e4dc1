import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "#base";
import { builtInDescription, builtInSchemas } from "../schema/built-in.ts";
import { parseBundle } from "./bundle-file.ts";
import { openBundleSource } from "./open-bundle-source.ts";
import { sampleTree } from "./sample-tree.fixture.ts";

const { signal } = new AbortController();
const types = [{ name: "Query", fields: [{ name: "a", type: "string" }] }];
const whole = {
  data: { "/b.yml": { $schema: "/own-1.yml", name: "b" }, "/a.yml": { $schema: "own-1.yml", name: "a", none: null } },
  resources: { "/r.txt": { path: "/r.txt", content: "text", sha256sum: "abc", $schema: null, backrefs: [] } },
  schemas: { "/own-1.yml": { $schema: "/metaschema-1.json" } },
  graphql: { $schema: "/app-interface/graphql-schemas-1.yml", confs: types },
  git_commit: "c0ffee",
  git_commit_timestamp: "1763200000",
};

function parse(value: JsonObject) {
  return parseBundle(Buffer.from(JSON.stringify(value)), "bundle.json");
}

describe("A-4: a bundle file is read with its data, resources, schemas, types and commit", () => {
  test("contains data, resources, schemas, types and the commit", () => {
    const bundle = parse(whole);
    expect(Array.from(bundle.datafiles, ([path, { schema, content }]) => [path, schema, content])).toEqual([
      ["/b.yml", "/own-1.yml", whole.data["/b.yml"]],
      ["/a.yml", "/own-1.yml", whole.data["/a.yml"]],
    ]);
    expect([...bundle.resources.values()]).toEqual([
      { path: "/r.txt", content: "text", sha256: "abc", schema: undefined },
    ]);
    expect([...bundle.schemas]).toEqual(Object.entries(whole.schemas));
    expect(bundle.types).toEqual(types);
    expect([bundle.gitCommit, bundle.gitCommitTimestamp]).toEqual(["c0ffee", "1763200000"]);
  });

  test("may have its types as a bare list, the older form", () => {
    expect(parse({ ...whole, graphql: types }).types).toEqual(types);
  });

  test("without schemas and types uses the built-in ones", () => {
    const bundle = parse({ data: {} });
    expect(bundle.schemas).toBe(builtInSchemas);
    expect(bundle.types).toBe(builtInDescription);
    expect(bundle.gitCommit).toBeUndefined();
  });

  test("A-13: a bundle keeps the order of its data files", () => {
    expect([...parse(whole).datafiles.keys()]).toEqual(["/b.yml", "/a.yml"]);
  });
});

test("A-5: keys that a bundler derives are ignored, except the hash of the file", () => {
  const bundle = parse({
    ...whole,
    data: {
      "/a.yml": {
        $schema: "/own-1.yml",
        $file_sha256sum: "abc",
        list: [{ name: "x", __identifier: "def" }],
        __identifier: "ghi",
      },
    },
    schemas: {
      "/own-1.yml": { properties: { name: {}, __identifier: { type: "string" }, $file_sha256sum: { type: "string" } } },
    },
    surprise: 1,
  });
  expect(bundle.datafiles.get("/a.yml")).toEqual({
    path: "/a.yml",
    schema: "/own-1.yml",
    sha256: "abc",
    content: { $schema: "/own-1.yml", list: [{ name: "x" }] },
  });
  expect(bundle.schemas.get("/own-1.yml")).toEqual({ properties: { name: {} } });
});

test("A-6: the identity of a bundle file is the hash of its bytes, whitespace included", () => {
  const [tight, loose] = [JSON.stringify(whole), JSON.stringify(whole, null, 1)];
  for (const text of [tight, loose]) {
    const expected = createHash("sha256").update(text).digest("hex");
    expect(parseBundle(Buffer.from(text), "bundle.json").identity).toBe(expected);
  }
});

test("__proto__ and constructor are ordinary keys of a bundle file", () => {
  const text =
    '{"data": {"/a.yml": {"$schema": "/own-1.yml", "__identifier": "x", "__proto__": {"a": 1}, "constructor": 2}}}';
  const content = parseBundle(Buffer.from(text), "bundle.json").datafiles.get("/a.yml")?.content ?? {};
  expect(JSON.stringify(content)).toBe('{"$schema":"/own-1.yml","__proto__":{"a":1},"constructor":2}');
  expect("a" in content).toBe(false);
});

describe("parseBundle rejects", () => {
  test.each([
    { reason: "invalid JSON", text: '{"data": {},\n}', says: /^bundle\.json:2:1: not valid JSON: / },
    {
      reason: "a list",
      text: "[]",
      says: /^bundle\.json: not a bundle file: expected an object "data"; create one with "tenon data bundle"$/,
    },
    { reason: "no data", text: "{}", says: /expected an object "data"/ },
    {
      reason: "a data file that is not an object",
      text: '{"data": {"/a.yml": 1}}',
      says: /expected data\["\/a\.yml"\] to be an object/,
    },
    {
      reason: "a resource without text",
      text: '{"data": {}, "resources": {"/r": {}}}',
      says: /expected resources\["\/r"\]\.content to be a string/,
    },
    {
      reason: "invalid types",
      text: '{"data": {}, "graphql": {}}',
      says: /^bundle\.json: graphql: expected a list of GraphQL types/,
    },
  ])("$reason", ({ text, says }) => {
    expect(() => parseBundle(Buffer.from(text), "bundle.json")).toThrow(says);
  });
});

describe("the source of a bundle file", () => {
  test("parses the file again only if it changed", async () => {
    await using tree = await sampleTree({ "bundle.json": JSON.stringify(whole) });
    const source = openBundleSource(join(tree.path, "bundle.json"));
    const first = await source.load(signal);
    expect(await source.load(signal)).toBe(first);
    await tree.write({ "bundle.json": JSON.stringify({ ...whole, git_commit: "decaf" }) });
    expect((await source.load(signal)).gitCommit).toBe("decaf");
  });

  test("rejects --schemas", async () => {
    await using tree = await sampleTree({ "bundle.json": JSON.stringify(whole) });
    expect(() => openBundleSource(join(tree.path, "bundle.json"), { schemas: tree.path })).toThrow("remove --schemas");
  });

  test("reports a change when the file is replaced", async () => {
    await using tree = await sampleTree({ "bundle.json": JSON.stringify(whole) });
    const stop = new AbortController();
    const changes = openBundleSource(join(tree.path, "bundle.json")).changes?.(stop.signal)[Symbol.asyncIterator]();
    await changes?.next();
    const changed = changes?.next();
    await tree.write({ "bundle.json": "{}" });
    expect((await changed)?.done).toBe(false);
    stop.abort();
  });
});

test.each(["http://localhost:4000/graphql", "https://data.example.com/graphqlsha/abc"])(
  "openBundleSource rejects the address of a running server, %s",
  (address) => {
    expect(() => openBundleSource(address)).toThrow("expected files, got the address of a running server");
  },
);
