import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";

export const integrationSchema = "/app-sre/integration-1.yml";

/**
 * Converts the legacy forms of an integration file: `operate` is the old name of `managed`, `spec.shards` is the old form
 * of static sharding, and null resources are removed. A file with old and new form together is left alone, and validation
 * reports it. Returns the same object if there is nothing to convert.
 */
export function normalizeIntegration(schema: string | undefined, content: JsonObject): JsonObject {
  if (schema !== integrationSchema) return content;
  const renamed = "operate" in content && !("managed" in content) ? rename(content, "operate", "managed") : content;
  return withField(renamed, "managed", (entries) => mapList(entries, normalizeEntry));
}

function normalizeEntry(entry: JsonValue): JsonValue {
  if (!isJsonObject(entry)) return entry;
  const moved = "sharding" in entry ? entry : withShardsMoved(entry);
  const pruned = withField(moved, "spec", (spec) =>
    withField(withField(spec, "resources", withoutNulls), "fluentdResources", withoutNulls),
  );
  return withField(pruned, "sharding", (sharding) =>
    withField(sharding, "shardSpecOverrides", (overrides) =>
      mapList(overrides, (override) => withField(override, "resources", withoutNulls)),
    ),
  );
}

function withShardsMoved(entry: JsonObject): JsonObject {
  const spec = entry["spec"];
  if (!isJsonObject(spec) || typeof spec["shards"] !== "number" || "shardingStrategy" in spec) return entry;
  const { shards, ...rest } = spec;
  return { ...entry, spec: rest, sharding: { strategy: "static", shards } };
}

function withoutNulls(resources: JsonValue): JsonValue {
  if (!isJsonObject(resources) || (resources["requests"] !== null && resources["limits"] !== null)) return resources;
  return Object.fromEntries(
    Object.entries(resources).filter(([key, value]) => value !== null || (key !== "requests" && key !== "limits")),
  );
}

function rename(object: JsonObject, from: string, to: string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key === from ? to : key, value]));
}

function mapList(value: JsonValue, change: (item: JsonValue) => JsonValue): JsonValue {
  if (!isJsonList(value)) return value;
  const changed = value.map(change);
  return changed.every((item, index) => item === value[index]) ? value : changed;
}

function withField<Value extends JsonValue>(object: Value, key: string, change: (value: JsonValue) => JsonValue): Value;
function withField(object: JsonValue, key: string, change: (value: JsonValue) => JsonValue): JsonValue {
  const value = isJsonObject(object) ? object[key] : undefined;
  if (!isJsonObject(object) || value === undefined) return object;
  const changed = change(value);
  return changed === value ? object : { ...object, [key]: changed };
}
