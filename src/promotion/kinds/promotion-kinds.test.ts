import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { packageFile } from "#base";
import { type StructuralSchema, toCustomResourceDefinition } from "#crd";
import { upstreamKinds } from "./promotion-kinds.ts";
import { fieldPaths, upstreamVersions } from "./upstream-paths.fixture.ts";

function pathsOf(schema: StructuralSchema, path: readonly string[] = []): string[] {
  if (schema.items) return pathsOf(schema.items, path);
  if (schema.additionalProperties) return pathsOf(schema.additionalProperties, path);
  return Object.entries(schema.properties ?? {}).flatMap(([name, below]) =>
    [[...path, name].join(".")].concat(pathsOf(below, [...path, name])),
  );
}

describe("every field of Konflux's kinds is accepted", () => {
  test.each(upstreamVersions)("$kind $version", ({ kind, version, count, fields, refused = {} }) => {
    const paths = fieldPaths(fields);
    // apiVersion, kind and metadata are paths too.
    expect(paths.length + 3).toBe(count);
    const ours = upstreamKinds.find((candidate) => candidate.kind === kind);
    const definition = ours && toCustomResourceDefinition(ours).spec.versions.find(({ name }) => name === version);
    const accepted = new Set(pathsOf(definition?.schema.openAPIV3Schema ?? {}));
    const missing = paths.filter((path) => !accepted.has(path));
    const isRefused = (path: string) => Object.keys(refused).some((field) => `${path}.`.startsWith(`${field}.`));
    expect(missing.filter((path) => !isRefused(path))).toEqual([]);
    expect(paths.filter((path) => isRefused(path) && accepted.has(path))).toEqual([]);
  });
});

test("no version of a scenario has an environment, and v1alpha1 is not served", () => {
  const scenario = upstreamKinds.find(({ kind }) => kind === "IntegrationTestScenario");
  const versions = scenario ? toCustomResourceDefinition(scenario).spec.versions : [];
  expect(versions.filter(({ served }) => served).map(({ name }) => name)).toEqual(["v1beta2", "v1beta1"]);
  for (const { schema } of versions) expect(pathsOf(schema.openAPIV3Schema)).not.toContain("spec.environment");
});

test("the page about Konflux's kinds has every version, its count of fields, and what is not accepted", async () => {
  const page = await readFile(packageFile("docs", "reference", "konflux.md"), "utf8");
  const rows = [...page.matchAll(/^\| (\w+) \| (v\w+) \| (\d+) \| (?:`(.*?)`.*)?\|$/gm)];
  expect(rows.map(([, kind, version, count, refused]) => [kind, version, Number(count), refused])).toEqual(
    upstreamVersions.map(({ kind, version, count, refused = {} }) => [kind, version, count, Object.keys(refused)[0]]),
  );
});
