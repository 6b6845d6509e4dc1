import { describe, expect, test } from "vitest";
import type { JsonValue } from "#base";
import { parseTypeDescriptions } from "./type-description.ts";

const field = { name: "a", type: "string" };

function parse(...confs: JsonValue[]) {
  return parseTypeDescriptions({ confs }, "schema.yml");
}

test("A-14: all known keys of types and fields are read, and others are ignored", () => {
  const every = {
    name: "every",
    type: "Other_v1",
    isList: true,
    isRequired: true,
    isInterface: true,
    isUnique: true,
    isContextUnique: true,
    isSearchable: true,
    isResource: true,
    resolveResource: true,
    synthetic: { schema: "/own-1.yml", subAttr: "a.b" },
    datafileSchema: "/own-1.yml",
  };
  const types = [
    { name: "Own_v1", datafile: "/own-1.yml", interface: "Other_v1", fields: [field, every] },
    { name: "Other_v1", isInterface: true, interfaceResolve: { strategy: "schema" }, fields: [] },
  ];
  expect(
    parse({ ...types[0], surprise: 1, fields: [{ ...field, isList: false, more: [] }, every] }, types[1] ?? {}),
  ).toEqual(types);
});

test("A-4: a bare list of types is a valid GraphQL description", () => {
  expect(parseTypeDescriptions([{ name: "Query", fields: [field] }], "schema.yml")).toEqual([
    { name: "Query", fields: [field] },
  ]);
});

describe("parseTypeDescriptions rejects", () => {
  test.each<{ reason: string; confs: JsonValue[]; says: string }>([
    { reason: "a type without a name", confs: [{ fields: [] }], says: "confs[0] has no name" },
    { reason: "a type without fields", confs: [{ name: "A" }], says: "type A has no list of fields" },
    {
      reason: "a field without a type",
      confs: [{ name: "A", fields: [{ name: "a" }] }],
      says: "A.fields[0] needs a name and a type",
    },
    {
      reason: "an unknown type",
      confs: [{ name: "A", fields: [{ name: "a", type: "B" }] }],
      says: "field A.a: type B is not defined",
    },
    {
      reason: "an unknown interface",
      confs: [{ name: "A", interface: "B", fields: [] }],
      says: "type A: type B is not defined",
    },
    {
      reason: "a type that is defined twice",
      confs: [
        { name: "A", fields: [] },
        { name: "A", fields: [] },
      ],
      says: "type A is defined twice",
    },
    {
      reason: "half a backward reference",
      confs: [{ name: "A", fields: [{ ...field, synthetic: { schema: "/x" } }] }],
      says: "A.fields[0]: synthetic needs schema and subAttr",
    },
  ])("$reason", ({ confs, says }) => {
    expect(() => parse(...confs)).toThrow(`schema.yml: ${says}`);
  });

  test.each<{ resolve: JsonValue; says: string }>([
    {
      resolve: { strategy: "guess" },
      says: 'type A: expected interfaceResolve.strategy fieldMap or schema, got "guess"',
    },
    { resolve: {}, says: "expected interfaceResolve.strategy fieldMap or schema, got undefined" },
    { resolve: { strategy: "fieldMap" }, says: "the strategy fieldMap needs field and fieldMap" },
    {
      resolve: { strategy: "fieldMap", field: "a", fieldMap: { x: "B" } },
      says: "type A: type B is not defined",
    },
  ])("A-16: an interface with an invalid strategy is refused: $resolve", ({ resolve, says }) => {
    expect(() => parse({ name: "A", isInterface: true, interfaceResolve: resolve, fields: [field] })).toThrow(says);
  });

  test("with all errors at once", () => {
    expect(() => parse({ fields: [] }, { name: "A" })).toThrow(
      "confs[0] has no name (and 1 more: type A has no list of fields)",
    );
  });
});

describe("a description that extends another", () => {
  const known = parse(
    { name: "Kept_v1", datafile: "/kept-1.yml", fields: [] },
    { name: "Replaced_v1", fields: [field] },
    { name: "Renamed_v1", datafile: "/same-1.yml", fields: [] },
    {
      name: "Query",
      fields: [
        { name: "kept", type: "Kept_v1" },
        { name: "both", type: "string" },
      ],
    },
  );
  const extended = parseTypeDescriptions(
    [
      { name: "Replaced_v1", fields: [{ name: "other", type: "Kept_v1" }] },
      { name: "New_v1", datafile: "/same-1.yml", fields: [] },
      {
        name: "Query",
        fields: [
          { name: "added", type: "New_v1" },
          { name: "both", type: "int" },
        ],
      },
    ],
    "schema.yml",
    known,
  );

  test("replaces types of the same name, and of the same data files", () => {
    expect(extended.map(({ name }) => name)).toEqual(["Kept_v1", "Replaced_v1", "New_v1", "Query"]);
    expect(extended[1]?.fields).toEqual([{ name: "other", type: "Kept_v1" }]);
  });

  test("adds fields to Query", () => {
    expect(extended.at(-1)?.fields).toEqual([
      { name: "kept", type: "Kept_v1" },
      { name: "added", type: "New_v1" },
      { name: "both", type: "int" },
    ]);
  });
});
