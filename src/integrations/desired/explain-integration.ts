import { type FieldPath, formatFieldPath, InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { ManagedPlace } from "../data/integration.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import { defaultUpstream } from "../parameters/image.ts";
import type { ParameterSource, ParameterTrail } from "../parameters/parameter-trail.ts";
import type { ShardSpec } from "../shard/shard-spec.ts";
import type { ShardedPlace } from "../values/chart-values.ts";
import type { IntegrationError } from "./desired.ts";
import { desireIntegrations } from "./desire-integrations.ts";
import type { DesireOptions } from "./desire-options.ts";
import { resolveImageTags } from "./image-tags.ts";
import { usedParameters } from "./render-places.ts";
import { selectPlaces } from "./select-places.ts";

/** Who said it: the entry of the file, its override for a shard, what the sharding makes, or who gave a parameter its value. */
export type FieldSource = "spec" | "override" | "sharding" | ParameterSource;

export interface SaidValue {
  readonly value: JsonValue;
  readonly source: FieldSource;
  /** `file:line:column`, the name of the environment, the option. */
  readonly where?: string | undefined;
}

export interface ExplainedField extends SaidValue {
  /** A setting like `resources.limits.memory`, or a parameter like `IMAGE_TAG`. */
  readonly field: string;
  /** What it would have been otherwise, strongest first. */
  readonly overrode: readonly SaidValue[];
}

export interface ExplainedShard {
  /** What the names of its objects end with; the name of the integration if there is only one. */
  readonly name: string;
  readonly fields: readonly ExplainedField[];
}

export interface ExplainedPlace {
  readonly cluster: string;
  readonly namespace: string;
  readonly environment: string;
  readonly where: string;
  readonly shards: readonly ExplainedShard[];
}

export interface ExplainedIntegration {
  readonly integration: string;
  readonly places: readonly ExplainedPlace[];
  readonly errors: readonly IntegrationError[];
  readonly warnings: readonly IntegrationError[];
}

/** For each place and shard of one integration every setting and parameter, its value, and where that comes from. */
export async function explainIntegration(
  queryable: ManagerData,
  integration: string,
  options: DesireOptions,
  signal: AbortSignal,
): Promise<ExplainedIntegration> {
  const narrowed = { ...options, integration: [integration] };
  const { errors, warnings } = await desireIntegrations(queryable, narrowed, signal);
  const { groups } = await selectPlaces(queryable, narrowed, signal);
  const upstream = options.upstream ?? defaultUpstream;
  const environments = groups.map(({ namespace }) => namespace.environment);
  const tags = await resolveImageTags(queryable, environments, upstream, options, signal);
  const locate = async (place: ManagedPlace, at: FieldPath): Promise<string> => {
    const path = ["managed", place.index, ...at];
    const found = place.file === undefined ? undefined : await options.locate?.(place.file, path, signal);
    return found ?? `${place.where} ${formatFieldPath(path)}`;
  };
  const places: ExplainedPlace[] = [];
  for (const { namespace, sharded } of groups) {
    const tag = tags.get(namespace.environment);
    for (const one of sharded.filter(({ place }) => place.integration === integration)) {
      const { processEnv, image, chart } = options;
      const givers = {
        environment: namespace.environment,
        processEnv,
        image,
        tag: tag instanceof Error ? undefined : tag,
      };
      const parameters = parameterFields(parametersOf(namespace, one, { chart, givers }));
      const shards: ExplainedShard[] = [];
      for (const shard of one.shards) {
        const fields = await shardFields(one, shard, locate);
        shards.push({ name: `${integration}${shard.shard_name_suffix}`, fields: [...fields, ...parameters] });
      }
      places.push({
        cluster: namespace.cluster.name,
        namespace: namespace.name,
        environment: namespace.environment.name,
        where: await locate(one.place, []),
        shards,
      });
    }
  }
  return { integration, places, errors, warnings };
}

/** None where the chart refuses the place, which is among the errors then. */
function parametersOf(...given: Parameters<typeof usedParameters>): ParameterTrail {
  try {
    return usedParameters(...given);
  } catch (error) {
    if (error instanceof InputError) return new Map();
    throw error;
  }
}

type LocateField = (place: ManagedPlace, at: FieldPath) => Promise<string>;

async function shardFields({ place }: ShardedPlace, shard: ShardSpec, locate: LocateField): Promise<ExplainedField[]> {
  const { shard: _, ...override } = shard.shard_spec_overrides ?? {};
  const index = place.sharding?.shardSpecOverrides.findIndex(
    (one) => one.shard === shard.shard_spec_overrides?.["shard"],
  );
  const fields: ExplainedField[] = [];
  const ofSpec = async (path: FieldPath, value: JsonValue): Promise<SaidValue> => {
    return { value, source: "spec", where: await locate(place, ["spec", ...path]) };
  };
  for (const [path, value] of leavesOf(place.spec)) {
    // An override replaces all that is below its key.
    if (Object.hasOwn(override, String(path[0]))) continue;
    fields.push({ field: formatFieldPath(path), ...(await ofSpec(path, value)), overrode: [] });
  }
  for (const [path, value] of leavesOf(override)) {
    const where = await locate(place, ["sharding", "shardSpecOverrides", index ?? 0, ...path]);
    const spec = leavesOf(place.spec).find(([other]) => formatFieldPath(other) === formatFieldPath(path));
    const overrode = spec ? [await ofSpec(...spec)] : [];
    fields.push({ field: formatFieldPath(path), value, source: "override", where, overrode });
  }
  const { shards, shard_id: id, shard_key: key, extra_args: line } = shard;
  const made = Object.entries({ SHARDS: shards, SHARD_ID: id, SHARD_KEY: key, INTEGRATION_EXTRA_ARGS: line });
  const where = await locate(place, ["sharding"]);
  for (const [field, value] of made)
    if (value !== "") fields.push({ field, value, source: "sharding", where, overrode: [] });
  return fields.toSorted((one, other) => (one.field < other.field ? -1 : 1));
}

/** Everything that is no table, with its path. */
function leavesOf(table: JsonObject, above: FieldPath = []): (readonly [FieldPath, JsonValue])[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const path = [...above, key];
    return isJsonObject(value) ? leavesOf(value, path) : [[path, value] as const];
  });
}

function parameterFields(trail: ParameterTrail): ExplainedField[] {
  return [...trail].map(([field, { value, source, detail, overrode }]) => ({
    field,
    value,
    source,
    where: detail,
    overrode: overrode.map((one) => ({ value: one.value, source: one.source, where: one.detail })),
  }));
}
