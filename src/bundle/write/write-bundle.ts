import { hash } from "node:crypto";
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { Bundle, Datafile } from "../bundle.ts";
import { collectFacts, contextValues } from "../facts/datafile-facts.ts";
import { DescribedTypes } from "../facts/described-type.ts";
import { SchemaNodes } from "../facts/schema-node.ts";
import { findResourceBackrefs } from "../references/resource-backrefs.ts";
import { metaschema } from "../schema/define-schema.ts";
import { descriptionSchema } from "../type-description.ts";

/**
 * The text of a bundle file, as qontract-server reads it: compact, keys sorted, with the derived keys of qontract's
 * bundler: hashes of files, backrefs of resources, and identifiers of list items.
 */
export function writeBundle(bundle: Bundle): string {
  const extra = new Map<JsonValue, JsonObject>();
  for (const { content, sha256 } of bundle.datafiles.values()) extra.set(content, { $file_sha256sum: sha256 });
  for (const schema of bundle.schemas.values()) addFileHashTo(schema, extra);
  addIdentifiers(bundle, extra);
  const backrefs = findResourceBackrefs(bundle);
  const resources = Array.from(bundle.resources.values(), ({ path, content, sha256, schema }) => {
    const referrers = backrefs.get(path) ?? [];
    return [path, { path, content, sha256sum: sha256, $schema: schema ?? null, backrefs: asJson(referrers) }] as const;
  });
  const value = {
    data: Object.fromEntries(Array.from(bundle.datafiles, ([path, { content }]) => [path, content])),
    resources: Object.fromEntries(resources),
    schemas: Object.fromEntries(bundle.schemas),
    graphql: { $schema: descriptionSchema, confs: asJson(bundle.types) },
    git_commit: bundle.gitCommit ?? "",
    git_commit_timestamp: bundle.gitCommitTimestamp ?? "",
  };
  return `${sortedJson(value, extra)}\n`;
}

function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

function addFileHashTo(schema: JsonValue, extra: Map<JsonValue, JsonObject>): void {
  if (!isJsonObject(schema) || schema["$schema"] !== metaschema || !isJsonObject(schema["properties"])) return;
  addTo(schema["properties"], { $file_sha256sum: { type: "string", description: "hash of the file" } }, extra);
}

/** List items get an identifier made from their context-unique fields; so do data files that a list item refers to. */
function addIdentifiers(bundle: Bundle, extra: Map<JsonValue, JsonObject>): void {
  const schemas = new SchemaNodes(bundle.schemas);
  const types = new DescribedTypes(bundle.types);
  for (const { content, schema } of bundle.datafiles.values()) {
    for (const { items } of collectFacts(content, schema, schemas, types, 1).lists) {
      for (const item of items) {
        if ("target" in item) identifyDatafile(bundle.datafiles.get(item.target));
        else identify(item.item, item.values, item.schemas);
      }
    }
  }

  function identify(item: JsonObject, values: JsonObject, expected: readonly JsonObject[]): void {
    addTo(item, { __identifier: hash("sha256", asciiJson(values)) }, extra);
    for (const one of expected.flatMap((schema) => [schema, ...alternativesOf(schema)])) {
      if (isJsonObject(one["properties"])) addTo(one["properties"], { __identifier: { type: "string" } }, extra);
    }
  }

  function identifyDatafile(datafile: Datafile | undefined): void {
    const type = datafile?.schema === undefined ? undefined : types.ofSchema(datafile.schema);
    const values = datafile && type && contextValues(datafile.content, type.contextUnique);
    const schema = datafile?.schema === undefined ? undefined : bundle.schemas.get(datafile.schema);
    if (values) identify(datafile.content, values, isJsonObject(schema) ? [schema] : []);
  }
}

function alternativesOf({ oneOf }: JsonObject): JsonObject[] {
  return isJsonList(oneOf) ? oneOf.filter((one) => isJsonObject(one)) : [];
}

function addTo(object: JsonObject, more: JsonObject, extra: Map<JsonValue, JsonObject>): void {
  extra.set(object, { ...extra.get(object), ...more });
}

/** Compact JSON with sorted keys. `extra` gives objects further keys, without a copy of them. */
function sortedJson(value: JsonValue, extra: ReadonlyMap<JsonValue, JsonObject> = new Map()): string {
  if (isJsonList(value)) return `[${value.map((item) => sortedJson(item, extra)).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const more = extra.get(value);
  const entries = Object.entries(more === undefined ? value : { ...value, ...more });
  const fields = entries
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${sortedJson(part, extra)}`);
  return `{${fields.join(",")}}`;
}

/** The same in ASCII, as Python's json module writes it. */
function asciiJson(value: JsonValue): string {
  return sortedJson(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
