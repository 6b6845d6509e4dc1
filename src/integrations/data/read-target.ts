import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { readJsonScalar } from "#bundle";
import type {
  AutomationToken,
  ClusterData,
  NamespaceData,
  Sharding,
  ShardOverride,
  VaultSecretRef,
} from "./integration.ts";

/** Reads what a server says of namespaces. Those of one path are the same object, and so are equal parameters. */
export class NamespaceReader {
  readonly #namespaces = new Map<string, NamespaceData>();
  readonly #parameters = new Map<string, JsonObject>();

  namespace(answer: JsonObject): NamespaceData {
    const path = textAt(answer, "path");
    const known = this.#namespaces.get(path);
    if (known) return known;
    const environment = objectAt(answer, "environment");
    const namespace = {
      path,
      name: textAt(answer, "name"),
      delete: flagAt(answer, "delete"),
      environment: { name: textAt(environment, "name"), parameters: this.#json(environment["parameters"]) },
      cluster: this.#cluster(objectAt(answer, "cluster")),
    };
    this.#namespaces.set(path, namespace);
    return namespace;
  }

  #cluster(answer: JsonObject): ClusterData {
    const disabled = listAt(objectAt(answer, "disable"), "integrations");
    return {
      name: textAt(answer, "name"),
      serverUrl: textAt(answer, "serverUrl"),
      internal: flagAt(answer, "internal"),
      insecureSkipTlsVerify: flagAt(answer, "insecureSkipTLSVerify"),
      disabledIntegrations: disabled.filter((name) => typeof name === "string"),
      automationToken: secretAt(answer, "automationToken"),
      automationTokens: listAt(answer, "automationTokens").filter(isJsonObject).map(tokenOf),
      labels: this.#json(answer["labels"]),
    };
  }

  /** Free-form objects arrive as text. */
  #json(text: JsonValue | undefined): JsonObject {
    if (typeof text !== "string") return {};
    const known = this.#parameters.get(text);
    if (known) return known;
    const value = readJsonScalar(text);
    const object = isJsonObject(value) ? value : {};
    this.#parameters.set(text, object);
    return object;
  }
}

/** The settings without nulls: those that the server's schema knows, with the types it gives them, over all that were written. */
export function readSpec(answer: JsonObject): JsonObject {
  const { settings } = answer;
  const written = typeof settings === "string" ? readJsonScalar(settings) : undefined;
  const known = dropNulls(objectAt(answer, "spec"));
  return isJsonObject(written) ? merge(dropNulls(written), known) : known;
}

/** Tables are merged: within one that the schema knows there may be settings that it does not. */
function merge(below: JsonObject, above: JsonObject): JsonObject {
  const merged: { [key: string]: JsonValue } = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const existing = merged[key];
    merged[key] = isJsonObject(value) && isJsonObject(existing) ? merge(existing, value) : value;
  }
  return merged;
}

export function readSharding(answer: JsonValue | undefined): Sharding | undefined {
  if (!isJsonObject(answer)) return undefined;
  return {
    strategy: textAt(answer, "strategy"),
    shards: numberAt(answer, "shards"),
    shardSpecOverrides: listAt(answer, "shardSpecOverrides").filter(isJsonObject).map(overrideOf),
  };
}

function overrideOf(answer: JsonObject): ShardOverride {
  const { subSharding, resources, imageRef } = answer;
  return {
    shard: dropNulls(objectAt(answer, "shard")),
    imageRef: typeof imageRef === "string" ? imageRef : undefined,
    resources: isJsonObject(resources) ? dropNulls(resources) : undefined,
    disabled: flagAt(answer, "disabled"),
    subSharding: isJsonObject(subSharding)
      ? { strategy: textAt(subSharding, "strategy"), shards: numberAt(subSharding, "shards") }
      : undefined,
  };
}

function tokenOf(answer: JsonObject): AutomationToken {
  return {
    name: textAt(answer, "name") || undefined,
    namespace: textAt(answer, "namespace") || undefined,
    active: flagAt(answer, "active") ?? false,
    delete: flagAt(answer, "delete") ?? false,
    secret: secretAt(answer, "secret"),
  };
}

function secretAt(answer: JsonObject, key: string): VaultSecretRef | undefined {
  const secret = answer[key];
  if (!isJsonObject(secret)) return undefined;
  return {
    path: textAt(secret, "path"),
    field: textAt(secret, "field"),
    version: numberAt(secret, "version"),
    format: textAt(secret, "format") || undefined,
  };
}

export function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}

export function listAt(object: JsonObject, key: string): readonly JsonValue[] {
  const value = object[key];
  return isJsonList(value) ? value : [];
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function flagAt(object: JsonObject, key: string): boolean | undefined {
  const value = object[key];
  return typeof value === "boolean" ? value : undefined;
}

function numberAt(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === "number" ? value : undefined;
}

/** The same without keys whose value is null, at any depth. Null items of lists stay: their position counts. */
function dropNulls(object: JsonObject): JsonObject {
  const kept: { [key: string]: JsonValue } = {};
  for (const [key, value] of Object.entries(object)) if (value !== null) kept[key] = withoutNulls(value);
  return kept;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (isJsonList(value)) return value.map(withoutNulls);
  return isJsonObject(value) ? dropNulls(value) : value;
}
