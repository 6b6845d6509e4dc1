import { describe, expect, test } from "vitest";
import { createLogger, type JsonObject } from "#base";
import { bareBundle } from "../sample-bundle.fixture.ts";
import { createQueryable } from "./create-queryable.ts";

const team = { name: "Team_v1", datafile: "/team-1.yml", fields: [{ name: "name", type: "string" }] };
const types = [
  {
    name: "Query",
    fields: [{ name: "apps_v1", type: "App_v1", isList: true, datafileSchema: "/app-1.yml" }],
  },
  {
    name: "App_v1",
    datafile: "/app-1.yml",
    fields: [
      { name: "name", type: "string" },
      { name: "team", type: "Team_v1" },
      { name: "owner", type: "Team_v1", isRequired: true },
      { name: "teams", type: "Team_v1", isList: true },
      { name: "notes", type: "json" },
      { name: "next", type: "App_v1" },
    ],
  },
  team,
];

function ask(app: JsonObject, query: string, log = createLogger({ destination: { write() {} } })) {
  const data = {
    "/app.yml": { $schema: "/app-1.yml", name: "shop", owner: { $ref: "/team.yml" }, ...app },
    "/team.yml": { $schema: "/team-1.yml", name: "payments" },
    "/other.yml": { $schema: "/team-1.yml", name: "search" },
  };
  return createQueryable(bareBundle({ data, types }), { log }).query(`{ apps_v1 { ${query} } }`);
}

test("A-8: a reference resolves to the data file; an object with more than $ref is data", async () => {
  expect((await ask({ team: { $ref: "/team.yml" } }, "team { name }")).data).toEqual({
    apps_v1: [{ team: { name: "payments" } }],
  });
  expect((await ask({ team: { $ref: "/team.yml", name: "inline" } }, "team { name }")).data).toEqual({
    apps_v1: [{ team: { name: "inline" } }],
  });
});

test("A-9: a reference with a fragment does not resolve", async () => {
  const lines: string[] = [];
  const log = createLogger({ destination: { write: (line) => void lines.push(line) } });
  const { data, errors } = await ask({ team: { $ref: "/team.yml#/name" } }, "team { name }", log);
  expect({ data, errors }).toEqual({ data: { apps_v1: [{ team: null }] } });
  expect(lines.join("")).toContain("reference the whole file");
});

describe("A-10: a dangling reference is null and logged, and an error where null is not allowed", () => {
  test("in a field that may be null", async () => {
    const lines: string[] = [];
    const log = createLogger({ destination: { write: (line) => void lines.push(line) } });
    const { data, errors } = await ask({ team: { $ref: "/gone.yml" } }, "a: team { name } b: team { name }", log);
    expect({ data, errors }).toEqual({ data: { apps_v1: [{ a: null, b: null }] } });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", ref: "/gone.yml" });
  });

  test("in a field that may not be null", async () => {
    const { data, errors } = await ask({ owner: { $ref: "/gone.yml" } }, "name owner { name }");
    expect(data).toEqual({ apps_v1: null });
    expect(errors).toMatchObject([{ path: ["apps_v1", 0, "owner"] }]);
  });
});

describe("A-11: a list is resolved only if it consists of references", () => {
  test("a list of references becomes a list of data files", async () => {
    const teams = [{ $ref: "/team.yml" }, { $ref: "/other.yml" }];
    expect((await ask({ teams }, "teams { name }")).data).toEqual({
      apps_v1: [{ teams: [{ name: "payments" }, { name: "search" }] }],
    });
  });

  test("a mixed list is returned untouched", async () => {
    const teams = [{ $ref: "/team.yml" }, { name: "inline" }];
    expect((await ask({ teams }, "teams { name }")).data).toEqual({
      apps_v1: [{ teams: [{ name: null }, { name: "inline" }] }],
    });
  });

  test("an empty list stays empty", async () => {
    expect((await ask({ teams: [] }, "teams { name }")).data).toEqual({ apps_v1: [{ teams: [] }] });
  });

  test("a dangling element is an error, because list elements are never null", async () => {
    const { data, errors } = await ask({ teams: [{ $ref: "/gone.yml" }] }, "teams { name }");
    expect(data).toEqual({ apps_v1: [{ teams: null }] });
    expect(errors).toMatchObject([{ path: ["apps_v1", 0, "teams", 0] }]);
  });
});

describe("A-12: a field that is null in the data is null in the answer", () => {
  test.each(["name", "team { name }", "teams { name }", "notes", "next { name }"])(
    "G9-11: an explicit null is not an error: %s",
    async (query) => {
      const nulls = { name: null, team: null, teams: null, notes: null, next: null };
      const { data, errors } = await ask(nulls, `answer: ${query}`);
      expect({ data, errors }).toEqual({ data: { apps_v1: [{ answer: null }] } });
    },
  );
});

test("cyclic references are resolved as deep as the query selects", async () => {
  const { data } = await ask({ next: { $ref: "/app.yml" } }, "next { next { next { name } } }");
  expect(data).toEqual({ apps_v1: [{ next: { next: { next: { name: "shop" } } } }] });
});

test("inherited properties are not data", async () => {
  const strange = {
    name: "Query",
    fields: [{ name: "things", type: "Thing", isList: true, datafileSchema: "/t.yml" }],
  };
  const thing = {
    name: "Thing",
    fields: ["constructor", "toString", "hasOwnProperty"].map((name) => ({ name, type: "json" })),
  };
  const data = { "/t": { $schema: "/t.yml", toString: "mine" } };
  const queryable = createQueryable(bareBundle({ data, types: [strange, thing] }));
  expect(await queryable.query("{ things { constructor toString hasOwnProperty } }")).toEqual({
    data: { things: [{ constructor: null, toString: '"mine"', hasOwnProperty: null }] },
    extensions: { schemas: ["/t.yml"] },
  });
});
