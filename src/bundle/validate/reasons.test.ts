import { describe, expect, test } from "vitest";
import { sampleBundle, type SampleBundleParts } from "../sample-bundle.fixture.ts";
import { BundleValidator } from "./bundle-validator.ts";

/** The findings of a bundle, in short form. */
function findings(parts: SampleBundleParts) {
  const { errors, warnings } = new BundleValidator().validate(sampleBundle(parts));
  expect(warnings).toEqual([]);
  return errors.map(({ kind, reason, path, what, next }) => ({
    kind,
    reason,
    path,
    says: next === undefined ? what : `${what}; ${next}`,
  }));
}

const own = {
  $schema: "/metaschema-1.json",
  version: "1.0",
  type: "object",
  additionalProperties: false,
  properties: {
    $schema: { type: "string", enum: ["/own-1.yml"] },
    name: { type: "string" },
    app: { $ref: "/common-1.json#/definitions/crossref", $schemaRef: "/app-sre/app-1.yml" },
    either: {
      $ref: "/common-1.json#/definitions/crossref",
      $schemaRef: {
        type: "object",
        properties: { $schema: { type: "string", enum: ["/app-sre/app-1.yml", "/own-1.yml"] } },
      },
    },
    named: { $ref: "/common-1.json#/definitions/crossref", $schemaRef: { properties: { name: { enum: ["right"] } } } },
    document: { $ref: "/common-1.json#/definitions/resourceref" },
    items: { type: "array", items: { type: "object" } },
    free: { type: "object" },
  },
  required: ["name"],
};
const schemas = { "/own-1.yml": own };
const app = { $schema: "/app-sre/app-1.yml", name: "app" };
const product = { $schema: "/app-sre/product-1.yml", name: "product" };
const file = (more: object) => ({ $schema: "/own-1.yml", name: "x", ...more });

test("a valid bundle has no findings", () => {
  const data = {
    "/app.yml": app,
    "/x.yml": file({ app: { $ref: "/app.yml" }, either: { $ref: "/x.yml" }, document: "/r.md" }),
  };
  expect(findings({ data, schemas, resources: { "/r.md": "" } })).toEqual([]);
});

describe("A-7: an invalid schema is reported with the reasons of qontract-validator", () => {
  test.each([
    {
      reason: "MISSING_SCHEMA_URL",
      schema: { type: "object" },
      says: "the schema has no $schema; add $schema: /metaschema-1.json",
    },
    {
      reason: "META_SCHEMA_NOT_FOUND",
      schema: { ...own, $schema: "/metaschema-2.json" },
      says: "schema /metaschema-2.json does not exist; did you mean /metaschema-1.json?",
    },
    {
      reason: "SCHEMA_ERROR",
      schema: { ...own, type: "objekt" },
      says: 'type: "objekt" is not a valid value; did you mean object?',
    },
    {
      reason: "SCHEMA_ERROR",
      schema: { ...own, properties: { ...own.properties, name: { $ref: "/common-1.json#/definitions/nothing" } } },
      says: "$ref /common-1.json#/definitions/nothing does not exist; add the definition",
    },
    {
      reason: "SCHEMA_ERROR",
      schema: { ...own, properties: { ...own.properties, name: { pattern: "(" } } },
      says: "pattern is not valid: Invalid regular expression: /(/: Unterminated group",
    },
    {
      reason: "VALIDATION_ERROR",
      schema: { ...own, version: "one" },
      says: 'version: "one" does not match ^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$',
    },
  ])("$reason: $says", ({ reason, schema, says }) => {
    expect(findings({ schemas: { "/own-1.yml": schema } })).toEqual([
      { kind: "SCHEMA", reason, path: "/own-1.yml", says },
    ]);
  });

  test("a schema of a JSON Schema draft needs no other schema", () => {
    const schema = { $schema: "http://json-schema.org/draft-06/schema#", definitions: { a: { type: "string" } } };
    expect(findings({ schemas: { "/own-1.json": schema } })).toEqual([]);
  });
});

describe("A-7: an invalid data file is reported with the reasons of qontract-validator", () => {
  test.each([
    {
      reason: "MISSING_SCHEMA_URL",
      content: { name: "x" },
      says: "the file has no $schema; add the path of a schema, for example $schema: /app-sre/integration-1.yml",
    },
    {
      reason: "MISSING_SCHEMA_URL",
      content: { $schema: null, name: "x" },
      says: "expected $schema to be a string; add the path of a schema, for example $schema: /app-sre/integration-1.yml",
    },
    {
      reason: "SCHEMA_NOT_FOUND",
      content: { $schema: "/app-sre/prodcut-1.yml", name: "x" },
      says: "schema /app-sre/prodcut-1.yml does not exist; did you mean /app-sre/product-1.yml?",
    },
    {
      reason: "SCHEMA_NOT_FOUND",
      content: { $schema: "https://example.com/schema", name: "x" },
      says: "schema https://example.com/schema does not exist; fix the path, or add the schema to schemas/",
    },
    {
      reason: "VALIDATION_ERROR",
      content: file({ nmae: "x" }),
      says: "unknown field nmae; did you mean name?",
    },
  ])("$reason: $says", ({ reason, content, says }) => {
    expect(findings({ data: { "/x.yml": content }, schemas })).toEqual([
      { kind: "FILE", reason, path: "/x.yml", says },
    ]);
  });

  test("A-2: a $schema without its leading slash is accepted", () => {
    expect(findings({ data: { "/x.yml": { $schema: "app-sre/product-1.yml", name: "x" } } })).toMatchObject([
      { reason: "VALIDATION_ERROR", says: expect.stringMatching(/^\$schema: "app-sre\/product-1\.yml"/) },
    ]);
    const lax = { ...own, properties: { $schema: { type: "string" }, name: {} } };
    expect(
      findings({ data: { "/x.yml": { $schema: "lax-1.yml", name: "x" } }, schemas: { "/lax-1.yml": lax } }),
    ).toEqual([]);
  });

  test("all errors of all files are reported, up to a limit per file", () => {
    const items = Array.from({ length: 500 }, () => 1);
    const found = findings({ data: { "/x.yml": file({ items, app: 1 }), "/y.yml": file({ free: [] }) }, schemas });
    expect(found.filter(({ path }) => path === "/x.yml")).toHaveLength(21);
    expect(found).toContainEqual(expect.objectContaining({ path: "/x.yml", says: "and 481 more errors" }));
    expect(found).toContainEqual(expect.objectContaining({ path: "/y.yml" }));
  });

  test("a schema that only refers to itself is an error, not a hang", () => {
    const loop = {
      ...own,
      properties: { ...own.properties, free: { $ref: "#/definitions/a" } },
      definitions: { a: { $ref: "#/definitions/a" } },
    };
    expect(findings({ data: { "/x.yml": file({ free: {} }) }, schemas: { "/own-1.yml": loop } })).toMatchObject([
      { says: expect.stringContaining("/own-1.yml") },
    ]);
  });
});

describe("A-7: an invalid reference is reported with the reasons of qontract-validator", () => {
  const data = { "/app.yml": app, "/product.yml": product, "/teams/xy.yml": file({}) };
  test.each([
    {
      reason: "FILE_NOT_FOUND",
      more: { app: { $ref: "/teams/x.yml" } },
      says: "$ref /teams/x.yml does not exist; did you mean /teams/xy.yml?",
    },
    {
      reason: "FILE_NOT_FOUND",
      more: { app: { $ref: "/elsewhere/app.yml" } },
      says: "$ref /elsewhere/app.yml does not exist; did you mean /app.yml?",
    },
    {
      reason: "FILE_NOT_FOUND",
      more: { app: { $ref: "/app.yml#/name" } },
      says: "$ref /app.yml#/name does not exist; reference the whole file: remove #/name",
    },
    {
      reason: "FILE_NOT_FOUND",
      more: { free: { deep: [[{ $ref: "/gone.yml" }]] } },
      says: "$ref /gone.yml does not exist",
    },
    {
      reason: "INCORRECT_SCHEMA",
      more: { app: { $ref: "/product.yml" } },
      says: "$ref /product.yml: expected schema /app-sre/app-1.yml, got /app-sre/product-1.yml; reference another file",
    },
    {
      reason: "SCHEMA_REF_VALIDATION_ERROR",
      more: { either: { $ref: "/product.yml" } },
      says: "$ref /product.yml: expected schema /app-sre/app-1.yml or /own-1.yml, got /app-sre/product-1.yml; reference another file",
    },
    {
      reason: "SCHEMA_REF_VALIDATION_ERROR",
      more: { named: { $ref: "/app.yml" } },
      says: '$ref /app.yml does not fit: name: "app" is not a valid value; reference another file',
    },
    {
      reason: "RESOURCE_FILE_NOT_FOUND",
      more: { document: "/runbok.md" },
      says: "resource /runbok.md does not exist; did you mean /runbook.md?",
    },
  ])("$reason: $says", ({ reason, more, says }) => {
    const parts = { data: { ...data, "/x.yml": file(more) }, schemas, resources: { "/runbook.md": "" } };
    expect(findings(parts)).toEqual([{ kind: "REF", reason, path: "/x.yml", says }]);
  });

  test("A-8: an object with $ref and something else is plain data", () => {
    expect(findings({ data: { "/x.yml": file({ free: { $ref: "/gone.yml", and: 1 } }) }, schemas })).toEqual([]);
  });

  test("a reference in a oneOf with an inline object is checked for its schema", () => {
    const schema = {
      ...own,
      properties: {
        ...own.properties,
        choice: {
          oneOf: [
            { $ref: "/app-sre/app-1.yml" },
            { $ref: "/common-1.json#/definitions/crossref", $schemaRef: "/app-sre/app-1.yml" },
          ],
        },
      },
    };
    const files = (choice: object) => ({
      data: { ...data, "/x.yml": file({ choice }) },
      schemas: { "/own-1.yml": schema },
    });
    expect(findings(files(app))).toEqual([]);
    expect(findings(files({ $ref: "/app.yml" }))).toEqual([]);
    expect(findings(files({ $ref: "/product.yml" }))).toMatchObject([{ kind: "REF", reason: "INCORRECT_SCHEMA" }]);
  });

  test("a cycle of references is valid", () => {
    const cycle = { "/x.yml": file({ either: { $ref: "/y.yml" } }), "/y.yml": file({ either: { $ref: "/x.yml" } }) };
    expect(findings({ data: cycle, schemas })).toEqual([]);
  });
});

describe("A-7: a value that must be unique and is not is reported", () => {
  const types = [
    {
      name: "Own_v1",
      datafile: "/own-1.yml",
      fields: [
        { name: "name", type: "string", isUnique: true },
        { name: "items", type: "Item_v1", isList: true },
        { name: "free", type: "json" },
      ],
    },
    {
      name: "Item_v1",
      fields: [
        { name: "name", type: "string", isContextUnique: true },
        { name: "kind", type: "string", isContextUnique: true },
        { name: "note", type: "string" },
      ],
    },
  ];

  test("DUPLICATE_UNIQUE_FIELD: the same value in two files", () => {
    const data = { "/b.yml": file({}), "/a.yml": file({}), "/c.yml": { ...file({}), name: "y" } };
    expect(findings({ data, schemas, types })).toEqual([
      {
        kind: "UNIQUE",
        reason: "DUPLICATE_UNIQUE_FIELD",
        path: "/a.yml",
        says: 'name must be unique, but "x" is also in /b.yml; use different values',
      },
    ]);
  });

  test("references to the same file are equal values", () => {
    const byApp = [
      { name: "Own_v1", datafile: "/own-1.yml", fields: [{ name: "app", type: "string", isUnique: true }] },
    ];
    const data = {
      "/app.yml": app,
      "/a.yml": file({ app: { $ref: "/app.yml" } }),
      "/b.yml": file({ app: { $ref: "/app.yml" } }),
    };
    expect(findings({ data, schemas, types: byApp })).toMatchObject([
      { reason: "DUPLICATE_UNIQUE_FIELD", path: "/a.yml" },
    ]);
  });

  const interfaces = [
    {
      name: "Own_v1",
      datafile: "/own-1.yml",
      isInterface: true,
      interfaceResolve: { strategy: "fieldMap", field: "kind", fieldMap: { a: "A_v1", b: "B_v1" } },
      fields: [
        { name: "name", type: "string", isUnique: true },
        { name: "items", type: "Item_v1", isList: true, isInterface: true },
      ],
    },
    ...["A_v1", "B_v1"].map((name) => ({
      name,
      interface: "Own_v1",
      fields: [
        { name: "name", type: "string" },
        { name: "items", type: "Item_v1", isList: true, isInterface: true },
      ],
    })),
    {
      name: "Item_v1",
      isInterface: true,
      interfaceResolve: { strategy: "fieldMap", field: "kind", fieldMap: { c: "C_v1" } },
      fields: [{ name: "kind", type: "string" }],
    },
    { name: "C_v1", interface: "Item_v1", fields: [{ name: "id", type: "string", isContextUnique: true }] },
  ];

  test("a unique field of an interface is unique in all types that implement it", () => {
    const lax = { ...own, properties: { ...own.properties, kind: { type: "string" } } };
    const data = { "/a.yml": file({ kind: "a" }), "/b.yml": file({ kind: "b" }) };
    expect(findings({ data, schemas: { "/own-1.yml": lax }, types: interfaces })).toMatchObject([
      { reason: "DUPLICATE_UNIQUE_FIELD", path: "/a.yml", says: expect.stringContaining("in /b.yml") },
    ]);
  });

  test("an item is identified by the fields of its concrete type", () => {
    const items = [
      { kind: "c", id: "1" },
      { kind: "d", id: "1" },
      { kind: "c", id: "1" },
      { kind: "c", id: "2" },
    ];
    expect(findings({ data: { "/x.yml": file({ items }) }, schemas, types: interfaces })).toMatchObject([
      {
        reason: "DUPLICATE_CONTEXT_UNIQUE_FIELD",
        says: expect.stringContaining("items[0] and items[2] have the same id"),
      },
    ]);
  });

  test("values of different types are not equal", () => {
    const lax = { ...own, properties: { ...own.properties, name: {} } };
    const data = { "/a.yml": { ...file({}), name: 1 }, "/b.yml": { ...file({}), name: "1" } };
    expect(findings({ data, schemas: { "/own-1.yml": lax }, types })).toEqual([]);
  });

  test("DUPLICATE_CONTEXT_UNIQUE_FIELD: two items of one list with the same values", () => {
    const items = [
      { name: "a", kind: "k", note: "1" },
      { name: "b", kind: "k" },
      { name: "a", kind: "k", note: "2" },
    ];
    expect(findings({ data: { "/x.yml": file({ items }) }, schemas, types })).toEqual([
      {
        kind: "UNIQUE",
        reason: "DUPLICATE_CONTEXT_UNIQUE_FIELD",
        path: "/x.yml",
        says: "items[0] and items[2] have the same kind, name; make them differ, or delete one",
      },
    ]);
  });

  test("references in a list are compared by their targets", () => {
    const items = [{ $ref: "/y.yml" }, { $ref: "/z.yml" }, { $ref: "/y.yml" }];
    const data = {
      "/x.yml": file({ items }),
      "/y.yml": { ...file({}), name: "y" },
      "/z.yml": { ...file({}), name: "z" },
    };
    expect(findings({ data, schemas, types })).toMatchObject([
      {
        reason: "DUPLICATE_CONTEXT_UNIQUE_FIELD",
        says: expect.stringContaining("items[0] and items[2] have the same name"),
      },
    ]);
  });

  test("equal items in two lists are valid, and so are items without these fields", () => {
    const items = [{ name: "a", kind: "k" }, { note: "1" }, { note: "1" }];
    const data = { "/x.yml": file({ items }), "/y.yml": { ...file({ items }), name: "y" } };
    expect(findings({ data, schemas, types })).toEqual([]);
  });

  test("IS_UNIQUE_ON_NON_TOP_LEVEL_TYPE and IS_UNIQUE_ON_COMPLEX_FIELD", () => {
    const wrong = [
      { name: "Item_v1", fields: [{ name: "name", type: "string", isUnique: true }] },
      { name: "Own_v1", datafile: "/own-1.yml", fields: [{ name: "items", type: "Item_v1", isUnique: true }] },
    ];
    expect(findings({ schemas, types: wrong })).toEqual([
      {
        kind: "SCHEMA",
        reason: "IS_UNIQUE_ON_NON_TOP_LEVEL_TYPE",
        path: "/graphql-schemas/schema.yml",
        says: "Item_v1.name has isUnique, but Item_v1 is not the type of data files; add datafile to Item_v1, or use isContextUnique",
      },
      {
        kind: "SCHEMA",
        reason: "IS_UNIQUE_ON_COMPLEX_FIELD",
        path: "/graphql-schemas/schema.yml",
        says: "Own_v1.items has isUnique, but its type Item_v1 is not a scalar; use isContextUnique, or set isUnique on a scalar field",
      },
    ]);
  });
});

describe("resources with a $schema", () => {
  test("are checked if they are YAML, and skipped if they are templates", () => {
    const resources = {
      "/good.yml": "$schema: /own-1.yml\nname: x\n",
      "/bad.yml": "$schema: /own-1.yml\nname: 1\n",
      "/template.yml": "$schema: /own-1.yml\n{{ x\n",
    };
    expect(findings({ schemas, resources })).toMatchObject([
      { kind: "FILE", reason: "VALIDATION_ERROR", path: "/bad.yml" },
    ]);
  });
});

test("only files that changed are checked again", () => {
  const validator = new BundleValidator();
  const first = sampleBundle({ data: { "/a.yml": file({}), "/b.yml": file({ nmae: 1 }) }, schemas });
  const before = validator.validate(first);
  const changed = sampleBundle({ data: { "/a.yml": file({ app: 1 }) } }).datafiles.get("/a.yml");
  const datafiles = new Map(first.datafiles);
  if (changed) datafiles.set("/a.yml", changed);
  const after = validator.validate({ ...first, datafiles });
  expect(after.errors.map(({ path }) => path)).toEqual(["/a.yml", "/b.yml"]);
  expect(after.errors[1]).toBe(before.errors[0]);
});
