import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "#base";
import { fc } from "#seeded";
import type { Bundle } from "./bundle.ts";
import { parseBundle } from "./source/bundle-file.ts";
import { openBundleSource } from "./source/open-bundle-source.ts";
import { sampleTree } from "./source/sample-tree.fixture.ts";
import { sampleBundle } from "./sample-bundle.fixture.ts";
import { BundleValidator } from "./validate/bundle-validator.ts";
import { writeBundle } from "./write/write-bundle.ts";

const { signal } = new AbortController();

/** The parts in which equal bundles agree; identity and file names depend on the source. */
function essence({ datafiles, resources, schemas, types }: Bundle) {
  return {
    datafiles: Array.from(datafiles.values(), ({ path, schema, content, sha256 }) => ({
      path,
      schema,
      content,
      sha256,
    })),
    resources: Array.from(resources.values(), ({ path, content, sha256, schema }) => ({
      path,
      content,
      sha256,
      schema,
    })),
    schemas: [...schemas].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    types,
  };
}

/** Paths that a file of the example names: references, and the field `document`, which is the path of a resource. */
function targetsIn(part: JsonValue): string[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, child]) =>
    (key === "$ref" || key === "document") && typeof child === "string" ? [child] : targetsIn(child),
  );
}

const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((steps) => steps.join("/"));
const { value } = fc.letrec<{ value: JsonValue; list: JsonValue; object: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ unit: "binary" }),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(
    fc.oneof(name, fc.constantFrom("__proto__", "constructor", "$ref", "$schema", "path")),
    tie("value"),
    { maxKeys: 5, noNullPrototype: true },
  ),
}));
const anyContent = fc.dictionary(name, value, { noNullPrototype: true });

describe("laws of bundles", () => {
  test("loading, writing and loading again gives the same bundle", async () => {
    const files = fc.record({
      data: fc.dictionary(path, anyContent, { maxKeys: 6 }),
      resources: fc.dictionary(path, fc.string(), { maxKeys: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(files, async ({ data, resources }) => {
        await using tree = await sampleTree({
          "data/always.yml": "$schema: /app-sre/product-1.yml\nname: always\n",
          // JSON, because YAML cannot express some of these values.
          ...Object.fromEntries(
            Object.entries(data).map(([file, fields]) => [
              `data/${file}.d/x.json`,
              JSON.stringify({ ...fields, $schema: "/own-1.yml" }),
            ]),
          ),
          ...Object.fromEntries(
            Object.entries(resources).map(([file, text]) => [`resources/${file}.d/x`, text.toWellFormed()]),
          ),
        });
        const loaded = await openBundleSource(tree.path).load(signal);
        const written = writeBundle(loaded);
        const again = parseBundle(Buffer.from(written), "bundle.json");
        expect(essence(again)).toEqual(essence(loaded));
        expect(writeBundle(again)).toBe(written);
      }),
      { numRuns: 60 },
    );
  });

  test("any subset of valid files is valid, or has an error for each broken reference", async () => {
    const whole = await openBundleSource(join(import.meta.dirname, "../../examples/data")).load(signal);
    const validator = new BundleValidator();
    const [datafiles, resources] = [[...whole.datafiles], [...whole.resources]];
    fc.assert(
      fc.property(fc.shuffledSubarray(datafiles), fc.subarray(resources), (someFiles, someResources) => {
        const part = { ...whole, datafiles: new Map(someFiles), resources: new Map(someResources) };
        const expected = someFiles.flatMap(([file, { content }]) => {
          const missing = targetsIn(content).filter(
            (target) => !part.datafiles.has(target) && !part.resources.has(target),
          );
          return missing.map((target) => `${file}: ${target}`);
        });
        const { errors } = validator.validate(part);
        const named = errors.map(({ path: file, what }) => `${file}: ${/\/\S+?\.\w+/.exec(what)?.[0]}`);
        expect(named.toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: 100 },
    );
  });

  test("validation never throws, whatever a file contains", () => {
    const schemas = fc.constantFrom(
      "/app-sre/integration-1.yml",
      "/openshift/namespace-1.yml",
      "/openshift/cluster-1.yml",
      "/app-sre/app-1.yml",
    );
    const shape = fc.record(
      { managed: value, operate: value, name: value, cluster: value, labels: value, disable: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(schemas, shape, (schema, fields) => {
        const { errors } = new BundleValidator().validate(
          sampleBundle({ data: { "/x.yml": { ...fields, $schema: schema } } }),
        );
        for (const { what, at } of errors) expect([typeof what, Array.isArray(at)]).toEqual(["string", true]);
      }),
      { numRuns: 40 },
    );
  });
});
