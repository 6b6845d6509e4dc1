import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "#base";
import { bareBundle } from "../sample-bundle.fixture.ts";
import { createQueryable } from "./create-queryable.ts";

const text = (name: string): JsonObject => ({ name, type: "string", isRequired: true });
const pathAndSchema = [text("path"), text("schema")];

const integrations: JsonValue = [
  {
    name: "Query",
    fields: [
      { name: "integrations_v1", type: "Integration_v1", isList: true, datafileSchema: "/integration-1.yml" },
      { name: "namespaces_v1", type: "Namespace_v1", isList: true, datafileSchema: "/namespace-1.yml" },
    ],
  },
  {
    name: "Integration_v1",
    datafile: "/integration-1.yml",
    fields: [text("name"), { name: "managed", type: "Managed_v1", isList: true }],
  },
  {
    name: "Managed_v1",
    fields: [
      { name: "namespace", type: "Namespace_v1" },
      { name: "sharding", type: "Sharding_v1", isInterface: true },
      { name: "resources", type: "Resources_v1" },
    ],
  },
  { name: "Namespace_v1", datafile: "/namespace-1.yml", fields: [text("name")] },
  {
    name: "Sharding_v1",
    isInterface: true,
    interfaceResolve: {
      strategy: "fieldMap",
      field: "strategy",
      fieldMap: { static: "StaticSharding_v1", "per-aws-account": "AWSAccountSharding_v1" },
    },
    fields: [text("strategy")],
  },
  {
    name: "StaticSharding_v1",
    interface: "Sharding_v1",
    fields: [text("strategy"), { name: "shards", type: "int", isRequired: true }],
  },
  { name: "AWSAccountSharding_v1", interface: "Sharding_v1", fields: [text("strategy")] },
  { name: "Resources_v1", fields: [text("requests"), text("limits")] },
];

function askIntegrations(managed: readonly JsonObject[], more: Readonly<Record<string, JsonObject>>, query: string) {
  const files = managed.map((entry, at) => [
    `/integration-${at}.yml`,
    { $schema: "/integration-1.yml", name: `integration-${at}`, managed: [entry] },
  ]);
  return createQueryable(bareBundle({ data: { ...Object.fromEntries(files), ...more }, types: integrations })).query(
    query,
  );
}

describe("A-16: an interface is resolved by the value of a field", () => {
  test("G9-08: an object with static sharding has the type StaticSharding_v1, with its shards", async () => {
    const { data } = await askIntegrations(
      [{ sharding: { strategy: "static", shards: 3 } }],
      {},
      "{ integrations_v1 { managed { sharding { __typename strategy ... on StaticSharding_v1 { shards } } } } }",
    );
    expect(data).toEqual({
      integrations_v1: [
        { managed: [{ sharding: { __typename: "StaticSharding_v1", strategy: "static", shards: 3 } }] },
      ],
    });
  });

  test("G9-13: an unknown sharding strategy and a missing required field are errors of their integrations only", async () => {
    const { data, errors } = await askIntegrations(
      [
        { sharding: { strategy: "static", shards: 1 } },
        { sharding: { strategy: "per-moon" } },
        { resources: { limits: "1Gi" } },
      ],
      {},
      "{ integrations: integrations_v1 { name managed { sharding { strategy } resources { requests limits } } } }",
    );
    expect(errors).toMatchObject([
      {
        path: ["integrations", 1, "managed", 0, "sharding"],
        message: 'not a valid Sharding_v1: expected strategy to be one of static, per-aws-account, got "per-moon"',
      },
      { path: ["integrations", 2, "managed", 0, "resources", "requests"] },
    ]);
    expect(data?.["integrations"]).toEqual([
      { name: "integration-0", managed: [{ sharding: { strategy: "static" }, resources: null }] },
      { name: "integration-1", managed: [{ sharding: null, resources: null }] },
      { name: "integration-2", managed: [{ sharding: null, resources: null }] },
    ]);
  });

  test.each([{ sharding: {} }, { sharding: { strategy: "constructor" } }, { sharding: { strategy: null } }])(
    "%j is an error",
    async (managed) => {
      const query = "{ integrations_v1 { managed { sharding { strategy } } } }";
      expect((await askIntegrations([managed], {}, query)).errors).toMatchObject([
        { path: ["integrations_v1", 0, "managed", 0, "sharding"] },
      ]);
    },
  );

  test("G9-14: a namespace with few fields is found by reference, but not listed", async () => {
    const { data } = await askIntegrations(
      [{ namespace: { $ref: "/lean.yml" } }],
      {
        "/lean.yml": { $schema: "/lean-namespace-1.yml", name: "lean" },
        "/normal.yml": { $schema: "/namespace-1.yml", name: "normal" },
      },
      "{ namespaces_v1 { name } integrations_v1 { managed { namespace { name } } } }",
    );
    expect(data).toEqual({
      namespaces_v1: [{ name: "normal" }],
      integrations_v1: [{ managed: [{ namespace: { name: "lean" } }] }],
    });
  });
});

const recipes: readonly JsonObject[] = [
  {
    name: "Query",
    fields: [{ name: "books_v1", type: "Book_v1", isList: true, datafileSchema: "/book-1.yml" }],
  },
  { name: "Book_v1", fields: [{ name: "files", type: "DatafileObject_v1", isList: true, isInterface: true }] },
  {
    name: "DatafileObject_v1",
    isInterface: true,
    interfaceResolve: { strategy: "schema" },
    fields: pathAndSchema,
  },
  { name: "Beer_v1", datafile: "/beer-1.yml", fields: [...pathAndSchema, text("brewery")] },
  {
    name: "Cake_v1",
    datafile: "/cake-1.yml",
    isInterface: true,
    interfaceResolve: { strategy: "fieldMap", field: "kind", fieldMap: { sponge: "Sponge_v1" } },
    fields: [...pathAndSchema, text("kind")],
  },
  { name: "Sponge_v1", interface: "Cake_v1", fields: [...pathAndSchema, text("kind"), text("inventor")] },
];

function askFiles(data: Readonly<Record<string, JsonObject>>, query: string) {
  const files = Object.keys(data).map((path) => ({ $ref: path }));
  const book = { "/book.yml": { $schema: "/book-1.yml", files } };
  return createQueryable(bareBundle({ data: { ...book, ...data }, types: recipes })).query(
    `{ books_v1 { files { ${query} } } }`,
  );
}

describe("A-16: an interface is resolved by $schema", () => {
  test("to the type of the data file, or by the fieldMap of an interface", async () => {
    const { data } = await askFiles(
      {
        "/ale.yml": { $schema: "/beer-1.yml", brewery: "north" },
        "/sponge.yml": { $schema: "/cake-1.yml", kind: "sponge", inventor: "ada" },
      },
      "__typename ... on Beer_v1 { brewery } ... on Cake_v1 { kind } ... on Sponge_v1 { inventor }",
    );
    expect(data).toEqual({
      books_v1: [
        {
          files: [
            { __typename: "Beer_v1", brewery: "north" },
            { __typename: "Sponge_v1", kind: "sponge", inventor: "ada" },
          ],
        },
      ],
    });
  });

  test("a file whose schema has no type is an error", async () => {
    const { errors } = await askFiles({ "/tea.yml": { $schema: "/tea-1.yml" } }, "path");
    expect(errors).toMatchObject([
      {
        path: ["books_v1", 0, "files", 0],
        message: "not a valid DatafileObject_v1: no type is defined for /tea-1.yml",
      },
    ]);
  });
});

test("A-17: every type of a data file is a DatafileObject_v1, with path and schema", async () => {
  const { data } = await askFiles(
    {
      "/ale.yml": { $schema: "/beer-1.yml", brewery: "north" },
      "/sponge.yml": { $schema: "/cake-1.yml", kind: "sponge", inventor: "ada" },
    },
    "path schema",
  );
  expect(data).toEqual({
    books_v1: [
      {
        files: [
          { path: "/ale.yml", schema: "/beer-1.yml" },
          { path: "/sponge.yml", schema: "/cake-1.yml" },
        ],
      },
    ],
  });
});

test.each([
  { strategy: "guess", reason: "unknown" },
  { strategy: undefined, reason: "missing" },
])("A-16: an interface with an invalid strategy is an error when the bundle is loaded: $reason", ({ strategy }) => {
  const [query, , ...rest] = recipes;
  const file = { ...recipes[2], interfaceResolve: strategy === undefined ? {} : { strategy } };
  expect(() => bareBundle({ types: [query ?? null, ...rest, file] })).toThrow(/strategy/);
});
