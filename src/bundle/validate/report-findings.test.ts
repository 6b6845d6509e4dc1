import { expect, test } from "vitest";
import { openBundleSource } from "../source/open-bundle-source.ts";
import { product, sampleTree } from "../source/sample-tree.fixture.ts";
import { BundleValidator } from "./bundle-validator.ts";
import { reportFindings, resultRows } from "./report-findings.ts";

const { signal } = new AbortController();

async function validate(files: Readonly<Record<string, string | Buffer>>) {
  await using tree = await sampleTree(files);
  const reading = await openBundleSource(tree.path).read(signal);
  const validation = new BundleValidator().validate(reading.bundle);
  const report = await reportFindings(reading, validation, signal);
  const errors = report.errors.map((error) => ({ ...error, where: error.where.slice(tree.path.length + 1) }));
  const places = (findings: typeof report.errors) => findings.map(({ where }) => where.slice(tree.path.length + 1));
  return { errors: places(report.errors), warnings: places(report.warnings), rows: resultRows(validation, errors) };
}

test("findings have file, line and column, and are in the order of the files", async () => {
  const { errors, warnings } = await validate({
    "data/b.yml": `$schema: /app-sre/app-1.yml
name: b
# A comment, and a long way to go.
product: {$ref: /gone.yml}
nmae: x
`,
    "data/a.yml": `---
$schema: /app-sre/integration-1.yml
name: a
operate:
- namespace:
    $ref: /gone.yml
  spec: {}
- spec: {}
`,
    "data/c.yml": "name: c\n",
    "data/d.yml": "name: [\n",
    "schemas/own-1.yml": "$schema: /metaschema-1.json\nversion: 1\n",
    "graphql-schemas/schema.yml": "confs:\n- name: A\n  fields:\n  - {name: a, type: string, isUnique: true}\n",
  });
  expect(errors).toEqual([
    "data/d.yml:1:7",
    "data/a.yml:2:1",
    "data/a.yml:6:5",
    "data/a.yml:8:3",
    "data/b.yml:4:11",
    "data/b.yml:5:1",
    "data/c.yml:1:1",
    "graphql-schemas/schema.yml:1:1",
    "graphql-schemas/schema.yml:4:5",
    "schemas/own-1.yml:1:1",
    "schemas/own-1.yml:2:1",
  ]);
  expect(warnings).toEqual(["data/a.yml:4:1"]);
});

test("A-7: resultRows lists valid and invalid files in the format of qontract-validator", async () => {
  const { rows } = await validate({
    "data/good.yml": `$schema: /app-sre/app-1.yml\nname: good\nproduct: {$ref: /product.yml}\n`,
    "data/product.yml": product("p"),
    "data/bad.yml": "$schema: /app-sre/app-1.yml\n",
    "data/broken.yml": "a: [\n",
    "resources/r.txt": "r",
  });
  expect(rows.filter(({ kind }) => kind !== "SCHEMA")).toEqual([
    {
      filename: "/good.yml",
      kind: "FILE",
      result: { status: "OK", summary: "OK: /good.yml (/app-sre/app-1.yml)", schema_url: "/app-sre/app-1.yml" },
    },
    {
      filename: "/product.yml",
      kind: "FILE",
      result: {
        status: "OK",
        summary: "OK: /product.yml (/app-sre/product-1.yml)",
        schema_url: "/app-sre/product-1.yml",
      },
    },
    {
      filename: "/good.yml",
      kind: "REF",
      result: {
        status: "OK",
        summary: "OK: /good.yml (/product.yml) (/app-sre/app-1.yml)",
        schema_url: "/app-sre/app-1.yml",
      },
    },
    { filename: "/r.txt", kind: "FILE", result: { status: "OK", summary: "OK: /r.txt" } },
    expect.objectContaining({
      kind: "FILE",
      result: expect.objectContaining({ status: "ERROR", reason: "UNREADABLE_FILE" }),
    }),
    {
      filename: "/bad.yml",
      kind: "FILE",
      result: {
        status: "ERROR",
        summary: "ERROR: /bad.yml (/app-sre/app-1.yml)",
        reason: "VALIDATION_ERROR",
        error: "data/bad.yml:1:1: the file has no name, which is required; add name: its name",
        schema_url: "/app-sre/app-1.yml",
      },
    },
  ]);
  expect(rows.filter(({ kind }) => kind === "SCHEMA").every(({ result }) => result.status === "OK")).toBe(true);
});

test("a finding in a merged value has the position where the value is written", async () => {
  const { errors } = await validate({
    "data/x.yml": `$schema: /app-sre/app-1.yml
name: x
serviceOwners:
- &ida {name: Ida, email: 1}
- <<: *ida
  name: Jonas
`,
  });
  expect(errors).toEqual(["data/x.yml:4:20", "data/x.yml:4:20"]);
});

test("a finding in a file of two million characters is located", async () => {
  const lines = Array.from({ length: 60_000 }, (_, index) => `- a line of a large file, number ${index}`);
  const { errors } = await validate({
    "data/x.yml": `$schema: /app-sre/app-1.yml\nname: x\nserviceDocs:\n${lines.join("\n")}\n- 1\n`,
  });
  expect(errors).toEqual(["data/x.yml:60004:3"]);
});
