import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "#base";
import { bareBundle } from "../sample-bundle.fixture.ts";
import { createQueryable } from "./create-queryable.ts";
import { readJsonScalar } from "./json-scalar.ts";

const text = (name: string): JsonObject => ({ name, type: "string" });
const types: JsonValue = [
  {
    name: "Query",
    fields: [
      { name: "integrations_v1", type: "Integration_v1", isList: true, datafileSchema: "/integration-1.yml" },
      { name: "namespaces_v1", type: "Namespace_v1", isList: true, datafileSchema: "/namespace-1.yml" },
      { name: "empty_v1", type: "Namespace_v1", isList: true, datafileSchema: "/nothing-1.yml" },
    ],
  },
  {
    name: "Integration_v1",
    datafile: "/integration-1.yml",
    fields: [
      text("name"),
      { name: "labels", type: "json" },
      { name: "namespace", type: "Namespace_v1" },
      { name: "shards", type: "Shard_v1", isList: true, isInterface: true },
      { name: "sharding", type: "Shard_v1", isInterface: true },
    ],
  },
  {
    name: "Namespace_v1",
    datafile: "/namespace-1.yml",
    fields: [
      text("path"),
      text("schema"),
      text("name"),
      {
        name: "integrations",
        type: "Integration_v1",
        isList: true,
        synthetic: { schema: "/integration-1.yml", subAttr: "namespace" },
      },
    ],
  },
  {
    name: "Shard_v1",
    isInterface: true,
    interfaceResolve: { strategy: "fieldMap", field: "kind", fieldMap: { a: "ShardA_v1", b: "ShardB_v1" } },
    fields: [text("kind")],
  },
  {
    name: "ShardA_v1",
    interface: "Shard_v1",
    fields: [text("kind"), { name: "inner", type: "Shard_v1", isList: true, isInterface: true }],
  },
  { name: "ShardB_v1", interface: "Shard_v1", fields: [text("kind"), { name: "count", type: "int" }] },
];

const data: Readonly<Record<string, JsonObject>> = {
  "/one.yml": {
    $schema: "/integration-1.yml",
    name: "one",
    labels: { a: "b" },
    namespace: { $ref: "/shop.yml" },
    shards: [
      { kind: "a", inner: [{ kind: "b", count: 1 }, { kind: "a" }] },
      { kind: "b", count: 2 },
    ],
    sharding: { kind: "b" },
  },
  "/shop.yml": { $schema: "/namespace-1.yml", name: "shop", path: "overwritten" },
};
const queryable = createQueryable(bareBundle({ data, types }));

test("A-18: path is the key of the data file, schema its $schema", async () => {
  expect((await queryable.query("{ namespaces_v1 { path schema } }")).data).toEqual({
    namespaces_v1: [{ path: "/shop.yml", schema: "/namespace-1.yml" }],
  });
});

describe("A-19: the scalar JSON is sent as a string of JSON", () => {
  test("G9-07: the labels of an integration are sent as a string of JSON", async () => {
    const answer = await queryable.query("{ integrations_v1 { labels } }");
    expect(answer.data).toEqual({ integrations_v1: [{ labels: '{"a":"b"}' }] });
  });

  test.each<{ text: string | null | undefined; value: JsonValue | undefined }>([
    { text: '{"a":"b"}', value: { a: "b" } },
    { text: "null", value: null },
    { text: "", value: undefined },
    { text: null, value: undefined },
    { text: undefined, value: undefined },
  ])("readJsonScalar($text) is $value", ({ text: written, value }) => {
    expect(readJsonScalar(written)).toEqual(value);
  });

  test("readJsonScalar rejects a string that is not JSON", () => {
    expect(() => readJsonScalar("{a: b}")).toThrow(/not valid JSON/);
  });
});

describe("A-22: an answer lists the $schema of every object that a field was read from", () => {
  test("G9-12: the schemas of integrations and namespaces are listed once each, in the order of the first read", async () => {
    const first = await queryable.query("{ integrations_v1 { name namespace { name } labels } }");
    expect(first.extensions).toEqual({ schemas: ["/integration-1.yml", "/namespace-1.yml"] });
    const second = await queryable.query("{ namespaces_v1 { name } integrations_v1 { name } }");
    expect(second.extensions).toEqual({ schemas: ["/namespace-1.yml", "/integration-1.yml"] });
  });

  test.each([
    {
      query: "{ namespaces_v1 { integrations { __typename } } }",
      schemas: ["/namespace-1.yml"],
      reason: "a backward reference is a field too",
    },
    {
      query: "{ integrations_v1 { namespace { __typename } } }",
      schemas: ["/integration-1.yml"],
      reason: "no field of the namespace was selected",
    },
    { query: "{ empty_v1 { name } }", schemas: [], reason: "no file of this schema" },
    { query: "{ nonsense }", schemas: [], reason: "an invalid query reads nothing" },
    {
      query: '{ namespaces_v1(filter: {name: "other"}) { name } }',
      schemas: [],
      reason: "a filter does not count as reading",
    },
  ])("$query: $reason", async ({ query, schemas }) => {
    expect((await queryable.query(query)).extensions).toEqual({ schemas });
  });
});

describe("A-23: empty objects are removed from lists, and stay as the value of a field", () => {
  test("empty objects in lists are removed at every depth", async () => {
    const query = "{ integrations_v1 { shards { ... on ShardA_v1 { inner { ... on ShardB_v1 { count } } } } } }";
    expect((await queryable.query(query)).data).toEqual({
      integrations_v1: [{ shards: [{ inner: [{ count: 1 }] }] }],
    });
  });

  test("an empty object that is the value of a field stays", async () => {
    const query = "{ integrations_v1 { sharding { ... on ShardA_v1 { kind } } } }";
    expect((await queryable.query(query)).data).toEqual({ integrations_v1: [{ sharding: {} }] });
  });

  test.each([
    {
      selection: "shards @skip(if: true) { kind } labels",
      left: [{ labels: '{"a":"b"}' }],
      reason: "another field remains",
    },
    { selection: "name @include(if: false)", left: [], reason: "all fields were skipped" },
    { selection: "...Named", left: [{ name: "one" }], reason: "a fragment of the same type fills it" },
    { selection: "shards { ...OfB }", left: [{ shards: [{ count: 2 }] }], reason: "a named fragment of a member" },
    {
      selection: "shards { ... @include(if: false) { kind } }",
      left: [{ shards: [] }],
      reason: "a fragment that is skipped",
    },
    {
      selection: "shards { ... { kind } }",
      left: [{ shards: [{ kind: "a" }, { kind: "b" }] }],
      reason: "a fragment without condition",
    },
    { selection: "...Deep", left: [{ shards: [{ count: 2 }] }], reason: "inside a named fragment" },
  ])("$selection: $reason", async ({ selection, left }) => {
    const fragments = [
      ["Named", "fragment Named on Integration_v1 { name }"],
      ["OfB", "fragment OfB on ShardB_v1 { count }"],
      ["Deep", "fragment Deep on Integration_v1 { shards { ... on ShardB_v1 { count } } }"],
    ] as const;
    const used = fragments.filter(([name]) => selection.includes(`...${name}`)).map(([, definition]) => definition);
    const { data: answer, errors } = await queryable.query(`{ integrations_v1 { ${selection} } } ${used.join(" ")}`);
    expect({ answer, errors }).toEqual({ answer: { integrations_v1: left } });
  });
});
