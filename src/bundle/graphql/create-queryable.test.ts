import { describe, expect, test } from "vitest";
import { getIntrospectionQuery } from "graphql/utilities";
import type { JsonValue } from "#base";
import { bareBundle } from "../sample-bundle.fixture.ts";
import { createQueryable } from "./create-queryable.ts";
import { shareSchema } from "./query-schema.ts";

const types: JsonValue = [
  { name: "Query", fields: [{ name: "apps", type: "App", isList: true, datafileSchema: "/app-1.yml" }] },
  {
    name: "App",
    fields: [
      { name: "name", type: "string" },
      { name: "count", type: "int" },
      { name: "others", type: "App", isList: true },
    ],
  },
];
const others = [{ $ref: "/a.yml" }, { $ref: "/b.yml" }];
const data = {
  "/a.yml": { $schema: "/app-1.yml", name: "a", count: 1, others },
  "/b.yml": { $schema: "/app-1.yml", name: "b", count: "many", others },
};
const bundle = bareBundle({ data, types });
const queryable = createQueryable(bundle);

test("operationName selects one of several operations", () => {
  const query = "query A { apps { name } } query B { apps { count } }";
  expect(queryable.answer({ query, operationName: "A" }).data).toEqual({ apps: [{ name: "a" }, { name: "b" }] });
  expect(queryable.answer({ query })).toEqual({
    errors: [{ message: "Must provide operation name if query contains multiple operations." }],
    extensions: { schemas: [] },
  });
});

test("a value of the wrong type is an error at its path, and the rest is answered", async () => {
  const answer = await queryable.query("{ apps { name count } }");
  expect(answer.data).toEqual({
    apps: [
      { name: "a", count: 1 },
      { name: "b", count: null },
    ],
  });
  expect(answer.errors).toMatchObject([{ path: ["apps", 1, "count"] }]);
});

test("introspection is allowed", async () => {
  expect((await queryable.query(getIntrospectionQuery())).errors).toBeUndefined();
});

test("a queryable has the commit of its bundle", () => {
  const commit = { gitCommit: "cf639d", gitCommitTimestamp: "1606295532" };
  expect(createQueryable({ ...bundle, ...commit })).toMatchObject({ identity: "bare", ...commit });
});

test("query rejects when its signal is aborted", async () => {
  await expect(queryable.query("{ apps { name } }", {}, AbortSignal.abort(new Error("enough")))).rejects.toThrow(
    "enough",
  );
});

describe("a query is parsed and validated once", () => {
  test("for all bundles of a schema", () => {
    const schema = shareSchema(bundle.types);
    expect(schema.compile("{ apps { name } }")).toBe(schema.compile("{ apps { name } }"));
    expect(shareSchema(bareBundle({ types }).types)).toBe(schema);
  });

  test("and dropped from the cache after many other queries", () => {
    const schema = shareSchema(bundle.types);
    const first = schema.compile("{ apps { name } }");
    for (let at = 0; at < 1000; at++) schema.compile(`{ alias_${at}: apps { name } }`);
    expect(schema.compile("{ apps { name } }")).not.toBe(first);
  });

  test("and again for other types", () => {
    const other = [{ name: "Query", fields: [{ name: "now", type: "string" }] }];
    expect(shareSchema(bareBundle({ types: other }).types)).not.toBe(shareSchema(bundle.types));
  });
});

const nested = (depth: number): string => `{ apps ${"{ others ".repeat(depth)} { name } ${"}".repeat(depth)} }`;

describe("a hostile query fails fast", () => {
  test("with more objects than the limit, by cyclic references", () => {
    const answer = createQueryable(bundle, { mostObjects: 1000 }).answer({ query: nested(30) });
    expect(answer).toEqual({
      data: null,
      errors: [
        {
          message: "the answer has too many objects; split the query",
          extensions: { code: "ANSWER_TOO_LARGE" },
        },
      ],
      extensions: { schemas: ["/app-1.yml"] },
    });
  });

  test.each([
    { query: nested(12_000), reason: "deeply nested" },
    { query: `{ ${"apps { name } ".repeat(100_000)} }`, reason: "too many tokens" },
    { query: "{ apps { ...A } } fragment A on App { others { ...A } }", reason: "a fragment that contains itself" },
    { query: "{ apps", reason: "incomplete" },
    { query: "", reason: "empty" },
    { query: "mutation { delete }", reason: "a mutation" },
    { query: "subscription { apps { name } }", reason: "a subscription" },
  ])("$reason", ({ query }) => {
    const answer = queryable.answer({ query });
    expect(answer.data).toBeUndefined();
    expect(answer.errors?.length).toBeGreaterThan(0);
  });
});
