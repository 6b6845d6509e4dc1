import { isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { ShardedPlace } from "../values/chart-values.ts";

const key = "tenon.dev/integration";
/** What qontract-reconcile's chart puts before names. */
const prefix = "qontract-reconcile-";

/** To which integration an object of a chart belongs; undefined for what a namespace shares. */
export type Attribute = (object: JsonObject) => string | undefined;

/** By what the chart says of the object, by its label `app`, or by the name of a shard: in this order. */
export function attributeBy(sharded: readonly ShardedPlace[]): Attribute {
  const names = new Set(sharded.map(({ place }) => place.integration));
  const shardNames = new Map(
    sharded.flatMap(({ place, shards }) =>
      shards.map(({ shard_name_suffix: suffix }) => [`${place.integration}${suffix}`, place.integration] as const),
    ),
  );
  return (object) => {
    const metadata = tableAt(object, "metadata");
    const labels = tableAt(metadata, "labels");
    const said = textOf(tableAt(metadata, "annotations")[key]) ?? textOf(labels[key]);
    if (said !== undefined && names.has(said)) return said;
    const app = textOf(labels["app"]) ?? "";
    for (const name of [app, withoutPrefix(app)]) if (names.has(name)) return name;
    const name = textOf(metadata["name"]) ?? "";
    return shardNames.get(name) ?? shardNames.get(withoutPrefix(name));
  };
}

function withoutPrefix(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function tableAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
