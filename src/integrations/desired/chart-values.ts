import type { FieldPath, JsonObject } from "#base";
import type { ManagedTarget } from "../data/integration.ts";
import type { ShardSpec } from "./make-shards.ts";

/** A target, cut into its shards. */
export interface ShardedTarget {
  readonly target: ManagedTarget;
  readonly shards: readonly ShardSpec[];
}

/** The values of one namespace, as qontract-reconcile's chart takes them, and ours. */
// A type, because an interface is no JsonObject.
// oxlint-disable-next-line typescript/consistent-type-definitions
export type ChartValues = {
  readonly integrations: readonly JsonObject[];
  readonly cronjobs: readonly JsonObject[];
};

/** All settings of each target by their own names, with its name and its shards. What has a schedule is a list of its own. */
export function chartValues(sharded: readonly ShardedTarget[]): ChartValues {
  return {
    integrations: sharded.filter(({ target }) => !hasSchedule(target)).map(entryOf),
    cronjobs: sharded.filter(({ target }) => hasSchedule(target)).map(entryOf),
  };
}

export function hasSchedule({ spec }: ManagedTarget): boolean {
  return Boolean(spec["cron"]);
}

function entryOf({ target, shards }: ShardedTarget): JsonObject {
  return { ...target.spec, name: target.integration, shard_specs: shards };
}

/** Which field of which target became the value at `path`. */
export function originOf(
  sharded: readonly ShardedTarget[],
  [list, index, key, ...below]: FieldPath,
): { readonly target: ManagedTarget; readonly at: FieldPath } | undefined {
  const listed = sharded.filter(({ target }) => hasSchedule(target) === (list === "cronjobs"));
  const target = typeof index === "number" ? listed[index]?.target : undefined;
  if (!target) return undefined;
  if (key === undefined || key === "name") return { target, at: [] };
  return { target, at: key === "shard_specs" ? ["sharding"] : ["spec", key, ...below] };
}
