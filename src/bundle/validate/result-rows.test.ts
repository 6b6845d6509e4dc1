import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "#base";
import { parseBundle } from "../source/bundle-file.ts";
import { openBundleSource } from "../source/open-bundle-source.ts";
import { product, sampleTree } from "../source/sample-tree.fixture.ts";
import { BundleValidator } from "./bundle-validator.ts";
import { reportFindings, type ResultRow, resultRows } from "./report-findings.ts";

const { signal } = new AbortController();

const shelf = {
  $schema: "/metaschema-1.json",
  version: "1.0",
  type: "object",
  properties: {
    $schema: { type: "string" },
    label: { type: "string" },
    next: { $ref: "/common-1.json#/definitions/crossref", $schemaRef: "/shelf-1.yml" },
    other: { $ref: "/common-1.json#/definitions/crossref", $schemaRef: "/shelf-1.yml" },
    map: { $ref: "/common-1.json#/definitions/resourceref" },
  },
};
const crossref = { type: "object", required: ["$ref"], properties: { $ref: { type: "string" } } };
const schemas: JsonObject = {
  "/shelf-1.yml": shelf,
  "/metaschema-1.json": { $schema: "http://json-schema.org/draft-06/schema", type: "object" },
  "/common-1.json": {
    $schema: "http://json-schema.org/draft-06/schema",
    definitions: { crossref, resourceref: { type: "string" } },
  },
  "/app-interface/graphql-schemas-1.yml": {
    $schema: "/metaschema-1.json",
    type: "object",
    properties: {
      confs: { items: { properties: { fields: { items: { properties: { name: { type: "string" } } } } } } },
    },
  },
};
const confs = [
  { name: "Shelf_v1", datafile: "/shelf-1.yml", fields: [{ name: "label", type: "string" }] },
  { name: "Query", fields: [{ name: "shelves_v1", type: "Shelf_v1", isList: true, datafileSchema: "/shelf-1.yml" }] },
];
const graphql: JsonObject = { $schema: "/app-interface/graphql-schemas-1.yml", confs };

interface Parts {
  readonly data?: JsonObject;
  readonly resources?: JsonObject;
  readonly graphql?: JsonValue;
}

/** The rows about everything but schemas. */
async function rowsOf(parts: Parts): Promise<ResultRow[]> {
  await using tree = await sampleTree({ "bundle.json": JSON.stringify({ schemas, graphql, data: {}, ...parts }) });
  const reading = await openBundleSource(`${tree.path}/bundle.json`).read(signal);
  const validation = new BundleValidator().validate(reading.bundle);
  const { errors } = await reportFindings(reading, validation, signal);
  return resultRows(validation, errors).filter(({ kind, filename }) => kind !== "SCHEMA" || !schemas[filename]);
}

const description = "graphql-schemas/schema.yml";
const goodDescription = {
  filename: description,
  kind: "FILE",
  result: {
    status: "OK",
    summary: `OK: ${description} (/app-interface/graphql-schemas-1.yml)`,
    schema_url: "/app-interface/graphql-schemas-1.yml",
  },
};

describe("A-7: the rows of `tenon data validate -o json` are those of qontract-validator", () => {
  test("A-7: the GraphQL description is a file with a schema, and its name has no leading slash", async () => {
    expect(await rowsOf({})).toEqual([goodDescription]);
  });

  test("A-7: a GraphQL description without a $schema is an error", async () => {
    expect(await rowsOf({ graphql: { confs } })).toMatchObject([
      {
        filename: description,
        kind: "FILE",
        result: { status: "ERROR", reason: "MISSING_SCHEMA_URL", summary: `ERROR: ${description}` },
      },
    ]);
  });

  test("A-7: a GraphQL description that is a list of types is not a file with a schema", async () => {
    expect(await rowsOf({ graphql: confs })).toEqual([]);
  });

  test("A-7: a GraphQL description with a value of the wrong type is one error, and ends nothing", async () => {
    const wrong = { ...graphql, confs: [{ name: "Shelf_v1", fields: [{ name: 7, type: "string" }] }] };
    expect(await rowsOf({ graphql: wrong })).toMatchObject([
      {
        filename: description,
        kind: "FILE",
        result: {
          status: "ERROR",
          reason: "VALIDATION_ERROR",
          summary: `ERROR: ${description} (/app-interface/graphql-schemas-1.yml)`,
          schema_url: "/app-interface/graphql-schemas-1.yml",
        },
      },
    ]);
  });

  test("A-7: a GraphQL description that cannot be used for another reason is an error of that file", async () => {
    const wrong = { ...graphql, confs: [{ name: "Shelf_v1", fields: [{ name: "label", type: "Nothing_v1" }] }] };
    const rows = await rowsOf({ graphql: wrong });
    expect(
      rows.filter(({ result }) => result.status === "ERROR").every(({ filename }) => filename === description),
    ).toBe(true);
  });

  test("A-7: an isUnique that cannot be is reported under the name of the description", async () => {
    const nested = { name: "Nested_v1", fields: [{ name: "id", type: "string", isUnique: true }] };
    expect(await rowsOf({ graphql: { ...graphql, confs: [...confs, nested] } })).toContainEqual(
      expect.objectContaining({ filename: description, kind: "SCHEMA" }),
    );
  });

  test("A-7: the name of a file is its key in the bundle, with or without a leading slash", async () => {
    const rows = await rowsOf({
      data: { "one.yml": { $schema: "/shelf-1.yml" }, "/two.yml": { $schema: "/shelf-1.yml" } },
    });
    expect(rows.map(({ filename, result }) => [filename, result.summary])).toEqual([
      ["one.yml", "OK: one.yml (/shelf-1.yml)"],
      ["/two.yml", "OK: /two.yml (/shelf-1.yml)"],
      [description, goodDescription.result.summary],
    ]);
  });

  test("A-7: a good reference beside a broken one has a row of its own", async () => {
    const rows = await rowsOf({
      data: {
        "/a.yml": { $schema: "/shelf-1.yml", next: { $ref: "/b.yml" }, other: { $ref: "/none.yml" } },
        "/b.yml": { $schema: "/shelf-1.yml" },
      },
    });
    expect(rows.filter(({ kind }) => kind === "REF").map(({ result }) => result)).toMatchObject([
      { status: "OK", summary: "OK: /a.yml (/b.yml) (/shelf-1.yml)", schema_url: "/shelf-1.yml" },
      { status: "ERROR", summary: "ERROR: /a.yml", reason: "FILE_NOT_FOUND" },
    ]);
  });

  test("A-7: a missing resource is an error with the schema of the file that names it", async () => {
    const rows = await rowsOf({ data: { "/a.yml": { $schema: "/shelf-1.yml", map: "/none.txt" } } });
    expect(rows.find(({ kind }) => kind === "REF")?.result).toMatchObject({
      summary: "ERROR: /a.yml (/shelf-1.yml)",
      reason: "RESOURCE_FILE_NOT_FOUND",
      schema_url: "/shelf-1.yml",
    });
  });

  test("A-7: a resource that is not YAML passes, without a schema", async () => {
    const content = "$schema: /shelf-1.yml\n{% if label %}\n";
    const resources = { "/r.yml": { path: "/r.yml", content, sha256sum: "0", $schema: "/shelf-1.yml", backrefs: [] } };
    const rows = await rowsOf({ resources });
    expect(rows.find(({ filename }) => filename === "/r.yml")?.result).toEqual({ status: "OK", summary: "OK: /r.yml" });
  });
});

test("A-7: an error in the description of a directory has its line", async () => {
  const text = `$schema: /app-interface/graphql-schemas-1.yml\nconfs:\n- name: Own_v1\n  fields:\n  - name: 7\n    type: string\n`;
  await using tree = await sampleTree({ "data/a.yml": product("a"), "graphql-schemas/schema.yml": text });
  const reading = await openBundleSource(tree.path).read(signal);
  const { errors } = await reportFindings(reading, new BundleValidator().validate(reading.bundle), signal);
  expect(errors.map(({ where, reason }) => [where.replace(tree.path, ""), reason])).toEqual([
    ["/graphql-schemas/schema.yml:5:5", "VALIDATION_ERROR"],
  ]);
});

test("a bundle whose GraphQL description cannot be used is not loaded for queries", () => {
  const bundle = { data: {}, graphql: [{ name: "Own_v1", fields: [{ name: 7 }] }] };
  expect(() => parseBundle(Buffer.from(JSON.stringify(bundle)), "bundle.json")).toThrow(/needs a name and a type/);
});
