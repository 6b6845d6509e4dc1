import { type FieldPath, formatFieldPath, InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { withoutInvalid } from "../data/data-validity.ts";
import type { ManagedTarget } from "../data/integration.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import { computeDesired } from "./compute-desired.ts";
import type { DesiredOptions, IntegrationError } from "./desired.ts";
import { resolveImageTags } from "./image-tags.ts";
import type { ShardSpec } from "./make-shards.ts";
import { type ShardedTarget, usedParameters } from "./render-targets.ts";
import type { ParameterSource, ParameterTrail } from "./resolve-parameters.ts";
import { selectTargets } from "./select-targets.ts";
import { defaultUpstream } from "../manager-defaults.ts";

/** Where a value comes from: the entry of the file, its override for a shard, the sharding, or the source of a parameter. */
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
  /** The values it overrode, strongest first. */
  readonly overrode: readonly SaidValue[];
}

export interface ExplainedShard {
  /** What the names of its objects end with; the name of the integration if there is only one. */
  readonly name: string;
  readonly fields: readonly ExplainedField[];
}

export interface ExplainedTarget {
  readonly cluster: string;
  readonly namespace: string;
  readonly environment: string;
  readonly where: string;
  /** Why nothing changes there, if the data suspends it. */
  readonly suspended?: string | undefined;
  readonly shards: readonly ExplainedShard[];
}

export interface ExplainedIntegration {
  readonly integration: string;
  readonly places: readonly ExplainedTarget[];
  readonly errors: readonly IntegrationError[];
  readonly warnings: readonly IntegrationError[];
}

/** For each target and shard of one integration every setting and parameter, its value, and where that comes from. */
export async function explainIntegration(
  data: ManagerData,
  integration: string,
  options: DesiredOptions,
  signal: AbortSignal,
): Promise<ExplainedIntegration> {
  const queryable = withoutInvalid(data);
  const narrowed = { ...options, integration: [integration] };
  const { errors, warnings } = await computeDesired(queryable, narrowed, signal);
  const { groups } = await selectTargets(queryable, narrowed, signal);
  const upstream = options.upstream ?? defaultUpstream;
  const environments = groups.map(({ namespace }) => namespace.environment);
  const tags = await resolveImageTags(queryable, environments, upstream, options, signal);
  const locate = async (target: ManagedTarget, at: FieldPath): Promise<string> => {
    const path = ["managed", target.index, ...at];
    const found = target.file === undefined ? undefined : await options.locate?.(target.file, path, signal);
    return found ?? `${target.where} ${formatFieldPath(path)}`;
  };
  const places: ExplainedTarget[] = [];
  for (const { namespace, sharded } of groups) {
    const tag = tags.get(namespace.environment);
    for (const one of sharded.filter(({ target }) => target.integration === integration)) {
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
        where: await locate(one.target, []),
        suspended: one.target.suspended,
        shards,
      });
    }
  }
  return { integration, places, errors, warnings };
}

/** None where the chart refuses the target, which is among the errors then. */
function parametersOf(...given: Parameters<typeof usedParameters>): ParameterTrail {
  try {
    return usedParameters(...given);
  } catch (error) {
    if (error instanceof InputError) return new Map();
    throw error;
  }
}

type LocateField = (target: ManagedTarget, at: FieldPath) => Promise<string>;

async function shardFields(
  { target }: ShardedTarget,
  shard: ShardSpec,
  locate: LocateField,
): Promise<ExplainedField[]> {
  const { shard: _, ...override } = shard.shard_spec_overrides ?? {};
  const index = target.sharding?.shardSpecOverrides.findIndex(
    (one) => one.shard === shard.shard_spec_overrides?.["shard"],
  );
  const fields: ExplainedField[] = [];
  const ofSpec = async (path: FieldPath, value: JsonValue): Promise<SaidValue> => {
    return { value, source: "spec", where: await locate(target, ["spec", ...path]) };
  };
  for (const [path, value] of leavesOf(target.spec)) {
    // An override replaces all that is below its key.
    if (Object.hasOwn(override, String(path[0]))) continue;
    fields.push({ field: formatFieldPath(path), ...(await ofSpec(path, value)), overrode: [] });
  }
  for (const [path, value] of leavesOf(override)) {
    const where = await locate(target, ["sharding", "shardSpecOverrides", index ?? 0, ...path]);
    const spec = leavesOf(target.spec).find(([other]) => formatFieldPath(other) === formatFieldPath(path));
    const overrode = spec ? [await ofSpec(...spec)] : [];
    fields.push({ field: formatFieldPath(path), value, source: "override", where, overrode });
  }
  const { shards, shard_id: id, shard_key: key, extra_args: line } = shard;
  const made = Object.entries({ SHARDS: shards, SHARD_ID: id, SHARD_KEY: key, INTEGRATION_EXTRA_ARGS: line });
  const where = await locate(target, ["sharding"]);
  for (const [field, value] of made)
    if (value !== "") fields.push({ field, value, source: "sharding", where, overrode: [] });
  return fields.toSorted((one, other) => (one.field < other.field ? -1 : 1));
}

/** Everything but objects, with its path. */
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
