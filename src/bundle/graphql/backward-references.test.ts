import { describe, expect, test } from "vitest";
import { fc } from "#seeded";
import type { JsonValue } from "#base";
import { BundleIndex } from "../references/bundle-index.ts";
import { bareBundle } from "../sample-bundle.fixture.ts";
import { createQueryable } from "./create-queryable.ts";

const types = [
  {
    name: "Query",
    fields: [
      { name: "users_v1", type: "User_v1", isList: true, datafileSchema: "/user-1.yml" },
      { name: "gardens_v1", type: "Garden_v1", isList: true, datafileSchema: "/garden-1.yml" },
    ],
  },
  {
    name: "User_v1",
    fields: [
      { name: "name", type: "string" },
      {
        name: "gardens",
        type: "Garden_v1",
        isList: true,
        synthetic: { schema: "/garden-1.yml", subAttr: "beds.keepers" },
      },
    ],
  },
  {
    name: "Garden_v1",
    fields: [
      { name: "name", type: "string" },
      { name: "shed", type: "User_v1" },
    ],
  },
];
const ada = { $ref: "/ada.yml" };
const bob = { $ref: "/bob.yml" };

async function gardensOf(beds: Readonly<Record<string, JsonValue>>): Promise<JsonValue | undefined> {
  const gardens = Object.entries(beds).map(([name, value]) => [
    `/${name}.yml`,
    { $schema: "/garden-1.yml", name, beds: value },
  ]);
  const data = { "/ada.yml": { $schema: "/user-1.yml", name: "ada" }, ...Object.fromEntries(gardens) };
  const answer = await createQueryable(bareBundle({ data, types })).query("{ users_v1 { gardens { name } } }");
  return answer.data?.["users_v1"];
}

describe("A-13: a backward reference lists all files that refer to the object, each once, found by an index", () => {
  test("G9-09: all files that refer to an object are found through nested lists, each once", async () => {
    const beds = {
      north: [{ keepers: [ada, bob, ada] }, { keepers: ada }],
      south: [[{ keepers: [[bob], [ada]] }]],
      east: { keepers: ada },
      west: [{ keepers: [bob] }],
    };
    expect(await gardensOf(beds)).toEqual([{ gardens: [{ name: "north" }, { name: "south" }, { name: "east" }] }]);
  });

  test("referrers are in the order of the bundle", async () => {
    expect(await gardensOf({ z: { keepers: ada }, a: { keepers: ada }, m: { keepers: ada } })).toEqual([
      { gardens: [{ name: "z" }, { name: "a" }, { name: "m" }] },
    ]);
  });

  test.each<{ beds: JsonValue; reason: string }>([
    { beds: null, reason: "null on the way" },
    { beds: [{ keepers: null }, null, "text"], reason: "null at the end" },
    { beds: { keepers: "/ada.yml" }, reason: "a plain path is not a reference" },
    { beds: { keepers: { $ref: "/ada.yml", since: 2020 } }, reason: "an object with more than $ref is data" },
    { beds: {}, reason: "an empty object" },
    { beds: { constructor: ada }, reason: "inherited properties are not data" },
  ])("no referrers: $reason", async ({ beds }) => {
    expect(await gardensOf({ garden: beds })).toEqual([{ gardens: [] }]);
  });

  test("an object that is not a data file has no referrers", async () => {
    const data = {
      "/garden.yml": { $schema: "/garden-1.yml", name: "north", shed: { name: "inline" }, beds: { keepers: ada } },
    };
    const answer = await createQueryable(bareBundle({ data, types })).query(
      "{ gardens_v1 { shed { gardens { name } } } }",
    );
    expect(answer.data).toEqual({ gardens_v1: [{ shed: { gardens: [] } }] });
  });

  test("the index finds the same as a search of all files", () => {
    const path = fc.constantFrom("/0", "/1", "/2");
    const keepers = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        path.map((to) => ({ $ref: to })),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.array(keepers, { maxLength: 8 }), path, (all, target) => {
        const data = Object.fromEntries(
          all.map((value, at) => [`/garden-${at}`, { $schema: "/garden-1.yml", at, beds: [{ keepers: value }] }]),
        );
        const index = new BundleIndex(bareBundle({ data, types }));
        const expected = all.flatMap((value, at) => (JSON.stringify(value).includes(`"${target}"`) ? [at] : []));
        expect(index.referrers("/garden-1.yml", "beds.keepers", target).map(({ at }) => at)).toEqual(expected);
      }),
    );
  });
});
