import { describe, expect, expectTypeOf, test } from "vitest";
import type { JsonObject } from "#base";
import { bareBundle } from "../sample-bundle.fixture.ts";
import { createQueryable } from "./create-queryable.ts";
import { QueryFailure, runTypedQuery } from "./typed-query.ts";
import { type SampleData, sampleQuery } from "../typescript/sample.query.fixture.ts";
import { sampleTypes } from "../typescript/sample-types.fixture.ts";

function queryable(...sharding: readonly JsonObject[]) {
  const files = sharding.map((value, at) => [
    `/${at}.yml`,
    { $schema: "/integration-1.yml", name: `integration-${at}`, labels: { a: "b" }, sharding: value },
  ]);
  return createQueryable({ ...bareBundle({ data: Object.fromEntries(files), types: [] }), types: sampleTypes });
}

test("the answer has exactly the types of the query", async () => {
  const { integrations } = await runTypedQuery(queryable({ strategy: "static", shards: 2 }), sampleQuery, {
    name: "integration-0",
  });
  expectTypeOf(integrations).toEqualTypeOf<SampleData["integrations"]>();
  for (const { name, labels, sharding } of integrations ?? []) {
    expect([name satisfies string, labels satisfies string | null]).toEqual(["integration-0", '{"a":"b"}']);
    // @ts-expect-error: only static sharding has shards
    void sharding?.shards;
    expect(sharding?.__typename === "StaticSharding_v1" && (sharding.shards satisfies number)).toBe(2);
  }
  // @ts-expect-error: the query does not select it
  expect(integrations?.[0]?.upstream).toBeUndefined();
});

test("the compiler rejects variables that the query does not have", async () => {
  // @ts-expect-error: a name is text
  await expect(runTypedQuery(queryable(), sampleQuery, { name: 7 })).rejects.toThrow(QueryFailure);
  // @ts-expect-error: there is no such variable
  await runTypedQuery(queryable(), sampleQuery, { nam: "x" });
});

describe("A-31: runTypedQuery throws when the answer has errors", () => {
  const broken = queryable({ strategy: "static", shards: 2 }, { strategy: "per-moon" });

  test("even if it has data, and names the position in the data", async () => {
    await expect(runTypedQuery(broken, sampleQuery, {})).rejects.toThrow(
      /^bundle bare, query Sample: integrations\[1\]\.sharding: not a valid Sharding_v1: .*"per-moon"; fix the data files of these fields/,
    );
  });

  test("and gives the partial data, with the path of each error", async () => {
    const failure = await runTypedQuery(broken, sampleQuery, {}).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      errors: [{ path: ["integrations", 1, "sharding"] }],
      answer: { data: { integrations: [{ name: "integration-0" }, { name: "integration-1", sharding: null }] } },
    });
  });

  test("and names the first errors, and counts the others", async () => {
    const many = queryable(...Array.from({ length: 14 }, () => ({ strategy: "per-moon" })));
    await expect(runTypedQuery(many, sampleQuery, {})).rejects.toThrow(/integrations\[9\]\.sharding.*; and 4 more/);
  });

  test("and names the position in an invalid query", async () => {
    const wrong = { document: "{ nonsense }" };
    await expect(runTypedQuery(broken, wrong, {})).rejects.toThrow(
      'bundle bare: line 1, column 3 of the query: Cannot query field "nonsense" on type "Query".; fix the query',
    );
  });
});
