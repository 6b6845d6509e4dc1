import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { generateTypes } from "./generate-types.ts";
import { sampleTypes } from "./sample-types.fixture.ts";

const folder = import.meta.dirname;

/** The members of an integration that the selection gives, on one line. */
function typeOf(selection: string, rest = ""): string {
  const module = generateTypes(`{ first_v1 { ${selection} } } ${rest}`, sampleTypes, "x.graphql");
  const [, members = ""] = /readonly first_v1: \{([^]*)\} \| null;\n\};/.exec(module) ?? [];
  return members.replaceAll(/\s+/g, " ").replaceAll("readonly ", "").trim();
}

test("sample.query.fixture.ts is what is generated from sample.graphql; the compiler checks it", async () => {
  const document = await readFile(join(folder, "sample.graphql"), "utf8");
  expect(generateTypes(document, sampleTypes, "sample.graphql")).toBe(
    await readFile(join(folder, "sample.query.fixture.ts"), "utf8"),
  );
});

describe("generateTypes: the type of a selection", () => {
  test.each([
    { selection: "name upstream", type: "name: string; upstream: string | null;", reason: "required or not" },
    { selection: "replicas weight", type: "replicas: number | null; weight: number | null;", reason: "numbers" },
    { selection: "labels", type: "labels: JsonText | null;", reason: "JSON is text on the wire" },
    { selection: "schemas", type: "schemas: string[];", reason: "elements are never null" },
    { selection: "called: name", type: "called: string;", reason: "the name in the answer" },
    {
      selection: "name @skip(if: true) upstream",
      type: "name?: string; upstream: string | null;",
      reason: "may be missing",
    },
    { selection: "name @skip(if: true) name", type: "name: string;", reason: "selected twice, once for certain" },
    { selection: "name name @skip(if: true)", type: "name: string;", reason: "in whichever order" },
    {
      selection: "sharding { strategy ... on StaticSharding_v1 { shards } }",
      type: "sharding: { strategy: string; shards: number; } | { strategy: string; } | null;",
      reason: "one shape for each set of types that give the same",
    },
    {
      selection: "sharding { __typename ... on StaticSharding_v1 { shards } }",
      type: 'sharding: { __typename: "StaticSharding_v1"; shards: number; } | { __typename: "AccountSharding_v1" | "ClusterSharding_v1"; } | null;',
      reason: "the type's name tells the shapes apart",
    },
    {
      selection: "sharding { ... on StaticSharding_v1 { shards } }",
      type: "sharding: { shards: number; } | Record<string, never> | null;",
      reason: "an empty object stays as a field's value",
    },
    {
      selection: "shards { ... on StaticSharding_v1 { shards } }",
      type: "shards: { shards: number; }[];",
      reason: "and does not stay in a list",
    },
    {
      selection: "shards { ... on StaticSharding_v1 { shards } ... on AccountSharding_v1 { disabled } }",
      type: "shards: ({ shards: number; } | { disabled: boolean | null; })[];",
      reason: "a list of several shapes",
    },
    {
      selection: "...Outer sharding { strategy }",
      rest: "fragment Outer on Integration_v1 { sharding { ...Inner } } fragment Inner on StaticSharding_v1 { shards }",
      type: "sharding: { shards: number; strategy: string; } | { strategy: string; } | null;",
      reason: "selections of one field are one, wherever they stand",
    },
  ])("$selection: $reason", ({ selection, rest, type }) => {
    expect(typeOf(selection, rest)).toBe(type);
  });
});

test("generateTypes writes types of variables: required, with a default, JSON", () => {
  const head = 'query Q($a: String!, $b: String, $c: String! = "x", $d: JSON)';
  const body = "{ integrations_v1(name: $a) { name } b: integrations_v1(name: $b, path: $c, filter: $d) { name } }";
  expect(generateTypes(`${head} ${body}`, sampleTypes, "q.graphql")).toContain(`export type QVariables = {
  readonly a: string;
  readonly b?: string | null;
  readonly c?: string;
  readonly d?: JsonInput | null;
};`);
});

test("generateTypes writes a query for each operation, named after it or after the file", () => {
  const two = generateTypes(
    "query A { first_v1 { ...F } } query b { first_v1 { upstream } } fragment F on Integration_v1 { name }",
    sampleTypes,
    "x",
  );
  expect(two.match(/export const \w+/g)).toEqual(["export const aQuery", "export const bQuery"]);
  expect(two.match(/fragment F/g)).toHaveLength(1);
  expect(generateTypes("{ first_v1 { name } }", sampleTypes, "queries/shard-sources.graphql")).toContain(
    "export const shardSourcesQuery",
  );
});

test("generateTypes rejects an invalid query, and names the position", () => {
  const wrong = "{\n  first_v1 {\n    nam\n  }\n}\n";
  expect(() => generateTypes(wrong, sampleTypes, "x.graphql")).toThrow(
    'x.graphql:3:5: Cannot query field "nam" on type "Integration_v1". Did you mean "name"?; fix the query',
  );
});
