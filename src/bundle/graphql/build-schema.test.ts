import { isObjectType } from "graphql/type";
import { printType } from "graphql/utilities";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "#base";
import { parseTypeDescriptions } from "../type-description.ts";
import { buildSchema } from "./build-schema.ts";

const query: JsonObject = { name: "Query", fields: [{ name: "now", type: "string" }] };
const build = (...types: JsonValue[]) => buildSchema(parseTypeDescriptions(types, "test"));

function printed(name: string, ...types: JsonValue[]): string {
  const type = build(...types).getType(name);
  return type === undefined ? "" : printType(type);
}

test("A-14: every scalar type and every key of a field appears in the GraphQL schema", () => {
  const fields = ["string", "int", "float", "boolean", "json"].map((type) => ({ name: `a_${type}`, type }));
  const thing = {
    name: "Thing",
    datafile: "/thing-1.yml",
    fields: [
      ...fields,
      { name: "name", type: "string", isUnique: true, isContextUnique: true, isSearchable: true },
      { name: "things", type: "Thing", isList: true, synthetic: { schema: "/thing-1.yml", subAttr: "things" } },
      { name: "file", type: "string", isResource: true },
      { name: "resource", type: "string", isRequired: true, isResource: true, resolveResource: true },
    ],
  };
  const resource = { name: "Resource_v1", fields: [{ name: "content", type: "string" }] };
  const root = {
    name: "Query",
    fields: [
      { name: "things", type: "Thing", isList: true, datafileSchema: "/thing-1.yml" },
      { name: "resources", type: "Resource_v1", isList: true, isRequired: true, isResource: true },
    ],
  };
  expect(printed("Thing", root, thing, resource)).toBe(`type Thing {
  a_string: String
  a_int: Int
  a_float: Float
  a_boolean: Boolean
  a_json: JSON
  name: String
  things: [Thing!]
  file: String
  resource: Resource_v1
}`);
  expect(printed("Query", root, thing, resource)).toBe(`type Query {
  things(name: String, path: String, filter: JSON): [Thing!]
  resources(path: String, schema: String): [Resource_v1!]!
}`);
});

test("A-15: list elements and required fields are never null", () => {
  const fields = [
    { name: "f0", type: "string" },
    { name: "f1", type: "string", isRequired: true },
    { name: "f2", type: "string", isList: true },
    { name: "f3", type: "string", isList: true, isRequired: true },
  ];
  expect(printed("Thing", { name: "Thing", fields }, query)).toBe(`type Thing {
  f0: String
  f1: String!
  f2: [String!]
  f3: [String!]!
}`);
});

test("A-15: the type Query is the root of the GraphQL schema", () => {
  expect(build(query, { name: "Thing", fields: [{ name: "a", type: "int" }] }).getQueryType()?.name).toBe("Query");
});

describe("A-17: types of data files implement DatafileObject_v1 where it is declared", () => {
  const path = { name: "path", type: "string" };
  const datafileObject = {
    name: "DatafileObject_v1",
    isInterface: true,
    interfaceResolve: { strategy: "schema" },
    fields: [path],
  };
  const shape = {
    name: "Shape",
    datafile: "/shape-1.yml",
    isInterface: true,
    interfaceResolve: { strategy: "fieldMap", field: "path", fieldMap: {} },
    fields: [path],
  };
  const members = [
    { name: "File", datafile: "/file-1.yml", fields: [path] },
    { name: "Inline", fields: [path] },
    { name: "Circle", interface: "Shape", fields: [path] },
  ];

  test.each([
    { type: "File", implemented: ["DatafileObject_v1"], reason: "it is a data file" },
    { type: "Inline", implemented: [], reason: "it is not a data file" },
    { type: "Circle", implemented: ["Shape", "DatafileObject_v1"], reason: "its interface is a data file" },
  ])("$type: $reason", ({ type, implemented }) => {
    const schema = build(query, datafileObject, shape, ...members);
    const found = schema.getType(type);
    expect(isObjectType(found) && found.getInterfaces().map(({ name }) => name)).toEqual(implemented);
  });

  test("no type implements it where it is not declared", () => {
    expect(printed("File", query, ...members.slice(0, 1))).toBe("type File {\n  path: String\n}");
  });
});

test("the second definition of a field wins", () => {
  const twice = {
    name: "Thing",
    fields: [
      { name: "a", type: "string" },
      { name: "a", type: "int" },
    ],
  };
  expect(printed("Thing", query, twice)).toBe("type Thing {\n  a: Int\n}");
});

describe("buildSchema rejects", () => {
  test.each<{ types: JsonValue[]; says: RegExp; reason: string }>([
    { types: [{ name: "Thing", fields: [{ name: "a", type: "string" }] }], says: /no type Query/, reason: "no root" },
    {
      types: [query, { name: "Thing", fields: [] }],
      says: /Thing must define one or more fields/,
      reason: "no fields",
    },
    {
      types: [query, { name: "A", isInterface: true, fields: [{ name: "a", type: "string" }] }],
      says: /interface A has no interfaceResolve/,
      reason: "an interface without interfaceResolve",
    },
    {
      types: [{ name: "Query", fields: [{ name: "f", type: "string", isResource: true, resolveResource: true }] }],
      says: /field Query.f: type Resource_v1 is not defined/,
      reason: "resources without their type",
    },
    {
      types: [
        query,
        {
          name: "A",
          isInterface: true,
          interfaceResolve: { strategy: "schema" },
          fields: [{ name: "a", type: "string" }],
        },
        { name: "B", interface: "A", fields: [{ name: "b", type: "string" }] },
      ],
      says: /A\.a expected but B does not provide it/,
      reason: "a member without a field of its interface",
    },
  ])("$reason", ({ types, says }) => {
    expect(() => build(...types)).toThrow(says);
  });
});
