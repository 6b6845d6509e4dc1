import type { FieldPath, JsonObject } from "#base";
import type { ManagedPlace } from "../data/integration.ts";
import type { ShardSpec } from "../shard/shard-spec.ts";

/** A place, cut into its shards. */
export interface ShardedPlace {
  readonly place: ManagedPlace;
  readonly shards: readonly ShardSpec[];
}

/** The values of one namespace, as qontract-reconcile's chart takes them, and ours. */
// A type, because an interface is no JsonObject.
// oxlint-disable-next-line typescript/consistent-type-definitions
export type ChartValues = {
  readonly integrations: readonly JsonObject[];
  readonly cronjobs: readonly JsonObject[];
};

/** All settings of each place by their own names, with its name and its shards. What has a schedule is a list of its own. */
export function chartValues(sharded: readonly ShardedPlace[]): ChartValues {
  return {
    integrations: sharded.filter(({ place }) => !hasSchedule(place)).map(entryOf),
    cronjobs: sharded.filter(({ place }) => hasSchedule(place)).map(entryOf),
  };
}

export function hasSchedule({ spec }: ManagedPlace): boolean {
  return Boolean(spec["cron"]);
}

function entryOf({ place, shards }: ShardedPlace): JsonObject {
  return { ...place.spec, name: place.integration, shard_specs: shards };
}

/** Which field of which place became the value at `path`. */
export function originOf(
  sharded: readonly ShardedPlace[],
  [list, index, key, ...below]: FieldPath,
): { readonly place: ManagedPlace; readonly at: FieldPath } | undefined {
  const listed = sharded.filter(({ place }) => hasSchedule(place) === (list === "cronjobs"));
  const place = typeof index === "number" ? listed[index]?.place : undefined;
  if (!place) return undefined;
  if (key === undefined || key === "name") return { place, at: [] };
  return { place, at: key === "shard_specs" ? ["sharding"] : ["spec", key, ...below] };
}
