import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "#base";
import { bareBundle } from "../sample-bundle.fixture.ts";
import { createQueryable } from "./create-queryable.ts";

const types: JsonValue = [
  {
    name: "Query",
    fields: [
      { name: "plants_v1", type: "Plant_v1", isList: true, datafileSchema: "/plant-1.yml" },
      { name: "pots_v1", type: "Pot_v1", isList: true, isInterface: true, datafileSchema: "/pot-1.yml" },
    ],
  },
  {
    name: "Plant_v1",
    datafile: "/plant-1.yml",
    fields: [
      { name: "path", type: "string" },
      { name: "name", type: "string", isSearchable: true },
      { name: "colour", type: "string", isSearchable: true },
      { name: "height", type: "int" },
      { name: "tags", type: "string", isList: true },
      { name: "neighbour", type: "Plant_v1" },
      { name: "neighbours", type: "Plant_v1", isList: true },
      { name: "pot", type: "Pot_v1", isInterface: true },
    ],
  },
  {
    name: "Pot_v1",
    datafile: "/pot-1.yml",
    isInterface: true,
    interfaceResolve: { strategy: "fieldMap", field: "kind", fieldMap: { clay: "ClayPot_v1" } },
    fields: [{ name: "kind", type: "string" }],
  },
  {
    name: "ClayPot_v1",
    interface: "Pot_v1",
    fields: [
      { name: "kind", type: "string" },
      { name: "glaze", type: "string" },
    ],
  },
];

const plants: Readonly<Record<string, JsonObject>> = {
  "/a.yml": { name: "a", colour: "red", height: 1 },
  "/b.yml": { name: "b", colour: "blue", height: 2 },
  "/c.yml": { name: "c", colour: "red", tags: ["x", "y"] },
  "/d.yml": { name: "d", colour: null },
  "/e.yml": { name: "e", tags: ["y", "x"], neighbour: { $ref: "/a.yml" } },
  "/f.yml": {
    name: "f",
    colour: "green",
    neighbour: { $ref: "/d.yml" },
    neighbours: [{ $ref: "/a.yml" }, { $ref: "/b.yml" }],
  },
  "/g.yml": { name: "g", colour: "white", neighbour: { $ref: "/gone.yml" }, neighbours: [] },
  "/h.yml": { name: "h", colour: "black", pot: { kind: "clay", glaze: "green" } },
};
const data = Object.fromEntries(
  Object.entries(plants).map(([path, content]) => [path, { $schema: "/plant-1.yml", ...content }]),
);
const queryable = createQueryable(
  bareBundle({
    data: { ...data, "/pot.yml": { $schema: "/pot-1.yml", name: "pot", kind: "clay", glaze: "red" } },
    types,
  }),
);

async function namesOf(args: string, head = "", variables?: JsonObject): Promise<string> {
  const { data: answer, errors } = await queryable.query(`${head} { plants_v1${args} { name } }`, variables);
  expect(errors).toBeUndefined();
  const { plants_v1: chosen }: { plants_v1: { name: string }[] } = JSON.parse(JSON.stringify(answer));
  return chosen.map(({ name }) => name).join("");
}

describe("A-24: data files can be selected by searchable fields, path and filter", () => {
  test.each([
    { args: "", names: "abcdefgh", reason: "no arguments" },
    { args: '(name: "b")', names: "b", reason: "a searchable field" },
    { args: '(colour: "red", name: "c")', names: "c", reason: "all arguments must match" },
    { args: '(colour: "mauve")', names: "", reason: "no such value" },
    { args: '(path: "/c.yml")', names: "c", reason: "path is always an argument" },
    { args: '(path: "/gone.yml")', names: "", reason: "no data file has this path" },
    { args: '(path: "/pot.yml")', names: "", reason: "the data file is of another schema" },
    { args: "(path: null, colour: null)", names: "abcdefgh", reason: "null arguments are ignored" },
    { args: "(filter: null)", names: "abcdefgh", reason: "a null filter is ignored" },
    { args: '(colour: "red", filter: {height: 1})', names: "a", reason: "arguments and filter together" },
  ])("$args: $reason", async ({ args, names }) => {
    expect(await namesOf(args)).toBe(names);
  });

  test("G9-06: a searchable argument that is null is ignored", async () => {
    expect(await namesOf("(name: null)")).toHaveLength(8);
    expect(await namesOf("(name: $name)", "query ($name: String)", { name: null })).toHaveLength(8);
    expect(await namesOf("(name: $name)", "query ($name: String)", {})).toHaveLength(8);
  });

  test("a field that is not searchable is not an argument", async () => {
    const answer = await queryable.query("{ plants_v1(height: 1) { name } }");
    expect(answer.data).toBeUndefined();
    expect(answer.errors).toMatchObject([{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }]);
  });
});

describe("A-25: all entries of a filter must match, also through references", () => {
  test.each([
    { filter: '{colour: "red"}', names: "ac", reason: "equality" },
    { filter: "{height: 2}", names: "b", reason: "equality of numbers" },
    { filter: "{colour: null}", names: "de", reason: "a missing field counts as null" },
    { filter: '{colour: "red", height: 1}', names: "a", reason: "all entries must match" },
    { filter: "{}", names: "abcdefgh", reason: "an empty filter" },
    { filter: '{tags: ["x", "y"]}', names: "c", reason: "a list in order" },
    { filter: '{tags: ["x"]}', names: "", reason: "a list must match completely" },
    { filter: "{tags: null}", names: "abdfgh", reason: "a missing list" },
    { filter: '{colour: {ne: "red"}}', names: "bdefgh", reason: "ne matches a missing field" },
    { filter: "{colour: {ne: null}}", names: "abcfgh", reason: "not null" },
    { filter: '{tags: {ne: ["x", "y"]}}', names: "abdefgh", reason: "not this list" },
    { filter: '{colour: {in: ["red", "blue"]}}', names: "abc", reason: "in" },
    { filter: '{colour: {in: [null, "red"]}}', names: "acd", reason: "in does not match a missing field" },
    { filter: '{colour: {in: ["red", "blue"], ne: "red"}}', names: "b", reason: "two conditions on one field" },
    { filter: '{neighbour: {filter: {colour: "red"}}}', names: "e", reason: "through a reference" },
    {
      filter: "{neighbour: {filter: {colour: null}}}",
      names: "f",
      reason: "null behind a reference; a missing object does not match",
    },
    { filter: "{neighbour: {ne: null}}", names: "efg", reason: "any reference" },
    { filter: '{neighbours: {filter: {name: {in: ["a", "b", "c"]}}}}', names: "fg", reason: "every element matches" },
    { filter: '{neighbours: {filter: {name: "a"}}}', names: "g", reason: "one element does not match" },
    { filter: '{pot: {filter: {glaze: "green"}}}', names: "h", reason: "a field of a member of the interface" },
  ])(
    "G9-05: data files are filtered by equality, null, ne, in, lists and nested filters: $filter, $reason",
    async ({ filter, names }) => {
      expect(await namesOf(`(filter: ${filter})`)).toBe(names);
    },
  );

  test("a filter can be a variable, or contain variables", async () => {
    expect(await namesOf("(filter: $filter)", "query ($filter: JSON)", { filter: { colour: { in: ["blue"] } } })).toBe(
      "b",
    );
    expect(await namesOf("(filter: {name: {in: $names}})", "query ($names: JSON)", { names: ["a", "h"] })).toBe("ah");
  });

  test("G9-04: an unknown field in a filter is an error with its code, and only that part of the answer is null", async () => {
    const answer = await queryable.query("{ plants_v1(filter: {unknown_field: 1}) { name } }");
    expect(answer.data).toEqual({ plants_v1: null });
    expect(answer.errors).toMatchObject([
      {
        message: 'Field "unknown_field" does not exist on type "Plant_v1"',
        path: ["plants_v1"],
        extensions: { code: "BAD_FILTER_FIELD", gqlType: "Plant_v1" },
      },
    ]);
  });

  test.each([
    { filter: "{neighbour: {filter: {unknown_field: 1}}}", code: "BAD_FILTER_FIELD", reason: "behind a reference" },
    { filter: "{glaze: null}", code: "BAD_FILTER_FIELD", reason: "a field of another type" },
    { filter: "{constructor: null}", code: "BAD_FILTER_FIELD", reason: "an inherited property is not a field" },
    { filter: '{colour: {like: "r"}}', code: "BAD_FILTER", reason: "an unknown operator" },
    { filter: "{colour: {}}", code: "BAD_FILTER", reason: "no operator" },
    { filter: '{colour: {in: "red"}}', code: "BAD_FILTER", reason: "in is not a list" },
    { filter: "{colour: {filter: {a: 1}}}", code: "BAD_FILTER", reason: "a string has no fields" },
    { filter: '"red"', code: "BAD_FILTER", reason: "a filter that is not an object" },
  ])("$filter fails with $code: $reason", async ({ filter, code }) => {
    const answer = await queryable.query(`{ plants_v1(filter: ${filter}) { name } }`);
    expect(answer.errors).toMatchObject([{ extensions: { code } }]);
  });

  test("the fields of all members of an interface are allowed", async () => {
    const answer = await queryable.query('{ pots_v1(filter: {glaze: "red"}) { kind } }');
    expect(answer).toMatchObject({ data: { pots_v1: [{ kind: "clay" }] } });
  });
});
