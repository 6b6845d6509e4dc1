import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { sampleBundle } from "../sample-bundle.fixture.ts";
import { parseBundle } from "../source/bundle-file.ts";
import { BundleValidator } from "../validate/bundle-validator.ts";
import { writeBundle } from "./write-bundle.ts";

const schemas = {
  "/own-1.yml": {
    $schema: "/metaschema-1.json",
    version: "1.0",
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      name: { type: "string" },
      document: { $ref: "/common-1.json#/definitions/resourceref" },
      items: {
        type: "array",
        items: {
          type: "object",
          additionalProperties: false,
          properties: {
            name: { type: "string" },
            note: { type: "string" },
            document: { $ref: "/common-1.json#/definitions/resourceref" },
          },
        },
      },
      others: { type: "array", items: { $ref: "/common-1.json#/definitions/crossref", $schemaRef: "/own-1.yml" } },
    },
  },
};
const types = [
  {
    name: "Own_v1",
    datafile: "/own-1.yml",
    fields: [
      { name: "name", type: "string", isUnique: true },
      { name: "items", type: "Item_v1", isList: true },
      { name: "others", type: "Own_v1", isList: true },
    ],
  },
  { name: "Item_v1", fields: [{ name: "name", type: "string", isContextUnique: true }] },
];
const bundle = {
  ...sampleBundle({
    data: {
      "/x.yml": {
        $schema: "/own-1.yml",
        name: "ä",
        items: [{ note: "n", name: "b", document: "/r.md" }],
        others: [{ $ref: "/y.yml" }],
      },
      "/y.yml": { $schema: "/own-1.yml", name: "y", document: "/r.md" },
    },
    resources: { "/r.md": "text", "/unused.md": "" },
    schemas,
    types,
  }),
  gitCommit: "c0ffee",
  gitCommitTimestamp: "1763200000",
};
const text = writeBundle(bundle);
const value = JSON.parse(text);

const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

describe("A-4: writeBundle writes a bundle file", () => {
  test("compact, with sorted keys, and a newline at the end", () => {
    expect(text.endsWith("}\n")).toBe(true);
    expect(text.slice(0, -1)).toBe(JSON.stringify(value));
    expect(Object.keys(value)).toEqual([
      "data",
      "git_commit",
      "git_commit_timestamp",
      "graphql",
      "resources",
      "schemas",
    ]);
    expect(Object.keys(value.data["/x.yml"])).toEqual(["$file_sha256sum", "$schema", "items", "name", "others"]);
  });

  test("with the commit, or empty strings", () => {
    expect([value.git_commit, value.git_commit_timestamp]).toEqual(["c0ffee", "1763200000"]);
    const { gitCommit: _, gitCommitTimestamp: __, ...without } = bundle;
    expect(JSON.parse(writeBundle(without))).toMatchObject({ git_commit: "", git_commit_timestamp: "" });
  });

  test("with its types in the newer form", () => {
    expect(value.graphql.$schema).toBe("/app-interface/graphql-schemas-1.yml");
    expect(value.graphql.confs).toContainEqual(types[1]);
  });
});

describe("A-5: writeBundle adds hashes, backrefs of resources, and identifiers of list items", () => {
  test("the hash of each file, and allows it in the schemas", () => {
    expect(value.data["/x.yml"].$file_sha256sum).toBe(bundle.datafiles.get("/x.yml")?.sha256);
    expect(value.schemas["/own-1.yml"].properties.$file_sha256sum).toMatchObject({ type: "string" });
    expect(value.schemas["/common-1.json"].properties).toBeUndefined();
  });

  test("the backrefs of resources", () => {
    expect(value.resources["/r.md"]).toEqual({
      path: "/r.md",
      content: "text",
      sha256sum: sha256("text"),
      $schema: null,
      backrefs: [
        { path: "/x.yml", datafileSchema: "/own-1.yml", jsonpath: "items.[0].document" },
        { path: "/y.yml", datafileSchema: "/own-1.yml", jsonpath: "document" },
      ],
    });
    expect(value.resources["/unused.md"].backrefs).toEqual([]);
  });

  test("identifiers of list items, and of files that a list item refers to", () => {
    expect(value.data["/x.yml"].items[0].__identifier).toBe(sha256('{"name":"b"}'));
    expect(value.data["/y.yml"].__identifier).toBe(sha256('{"name":"y"}'));
    expect(value.data["/x.yml"].__identifier).toBeUndefined();
    expect(value.schemas["/own-1.yml"].properties.items.items.properties.__identifier).toEqual({ type: "string" });
    expect(value.schemas["/own-1.yml"].properties.__identifier).toEqual({ type: "string" });
  });

  test("identifiers that are hashed from ASCII JSON, as in Python", () => {
    const items = [{ name: "ä😀" }];
    const data = { "/x.yml": { $schema: "/own-1.yml", name: "x", items } };
    const written = JSON.parse(writeBundle(sampleBundle({ data, schemas, types })));
    expect(written.data["/x.yml"].items[0].__identifier).toBe(sha256(String.raw`{"name":"\u00e4\ud83d\ude00"}`));
  });

  test("derived keys to the text only, not to the bundle", () => {
    expect(JSON.stringify([...bundle.datafiles.values(), ...bundle.schemas.values()])).not.toMatch(
      /__identifier|\$file_sha256sum/,
    );
  });
});

test("a written bundle is valid, and has the same content when it is read", () => {
  const again = parseBundle(Buffer.from(text), "bundle.json");
  expect(new BundleValidator().validate(again).errors).toEqual([]);
  expect(writeBundle(again)).toBe(text);
});
