import { type FieldPath, formatFieldPath, InputError, type JsonValue, nearestName } from "#base";
import { withoutInvalid } from "../data/data-validity.ts";
import type { ManagedTarget, NamespaceData } from "../data/integration.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import { computeDesired } from "./compute-desired.ts";
import type { DesiredOptions, IntegrationError } from "./desired.ts";
import { resolveImageTags } from "./image-tags.ts";
import type { ShardSpec } from "./make-shards.ts";
import { defaultOrigins, settingsOf, type ShardedTarget, usedParameters } from "./render-targets.ts";
import type { ParameterInputs, ParameterSource, ParameterValue } from "./resolve-parameters.ts";
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

export interface ExplainOptions extends DesiredOptions {
  /** Only this shard: by its name, by what its name ends with, or by its key. */
  readonly shard?: string | undefined;
}

/** For each target and shard of one integration every setting and parameter, its value, and where that comes from. */
export async function explainIntegration(
  data: ManagerData,
  integration: string,
  options: ExplainOptions,
  signal: AbortSignal,
): Promise<ExplainedIntegration> {
  const queryable = withoutInvalid(data);
  const narrowed = { ...options, integration: [integration] };
  const { errors, warnings } = await computeDesired(queryable, narrowed, signal);
  const { groups } = await selectTargets(queryable, narrowed, signal);
  const upstream = options.upstream ?? defaultUpstream;
  const environments = groups.map(({ namespace }) => namespace.environment);
  const tags = await resolveImageTags(queryable, environments, upstream, options, signal);
  const locate = async (file: string | undefined, at: FieldPath): Promise<string | undefined> =>
    file === undefined ? undefined : await options.locate?.(file, at, signal);
  const ours = groups.flatMap(({ namespace, sharded }) =>
    sharded.filter(({ target }) => target.integration === integration).map((one) => ({ namespace, one })),
  );
  if (options.shard !== undefined) requireShard(options.shard, integration, ours);
  const places: ExplainedTarget[] = [];
  for (const { namespace, one } of ours) {
    const tag = tags.get(namespace.environment);
    const { processEnv, image, imageFrom, chart } = options;
    const givers = {
      environment: namespace.environment,
      processEnv,
      image,
      imageFrom,
      tag: tag instanceof Error ? undefined : tag,
    };
    const explaining = new TargetSources({
      namespace,
      one,
      chart,
      givers,
      environmentFile: fileOfEnvironment(data, namespace.environment.name),
      locate,
    });
    const shards: ExplainedShard[] = [];
    for (const shard of one.shards.filter((each) => isChosen(each, integration, options.shard))) {
      const fields = [...(await explaining.settings(shard)), ...(await explaining.parameters(shard))];
      shards.push({ name: `${integration}${shard.shard_name_suffix}`, fields });
    }
    if (options.shard !== undefined && shards.length === 0) continue;
    places.push({
      cluster: namespace.cluster.name,
      namespace: namespace.name,
      environment: namespace.environment.name,
      where: await explaining.locateSetting([]),
      suspended: one.target.suspended,
      shards,
    });
  }
  return { integration, places, errors, warnings };
}

/** Undefined if its content is not a file of its own, or if the files are not at hand. */
function fileOfEnvironment({ bundle }: ManagerData, name: string): string | undefined {
  const files = [...(bundle?.datafiles ?? [])];
  return files.find(([, { content }]) => content["$schema"] === environmentSchema && content["name"] === name)?.[0];
}

const environmentSchema = "/app-sre/environment-1.yml";

function isChosen(shard: ShardSpec, integration: string, wanted: string | undefined): boolean {
  const suffix = shard.shard_name_suffix;
  return wanted === undefined || [`${integration}${suffix}`, suffix.slice(1), shard.shard_key].includes(wanted);
}

function requireShard(wanted: string, integration: string, ours: readonly { readonly one: ShardedTarget }[]): void {
  const all = ours.flatMap(({ one }) => one.shards);
  if (all.length === 0 || all.some((shard) => isChosen(shard, integration, wanted))) return;
  const names = [...new Set(all.map((shard) => `${integration}${shard.shard_name_suffix}`))];
  const near = nearestName(wanted, names);
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  throw new InputError(`${integration} has no shard ${wanted}`, {
    where: "--shard",
    next: near === undefined ? `its shards: ${names.slice(0, mostNames).join(", ")}${more}` : `did you mean ${near}?`,
  });
}

const mostNames = 10;

interface ExplainedParts {
  readonly namespace: NamespaceData;
  readonly one: ShardedTarget;
  readonly chart: DesiredOptions["chart"];
  readonly givers: ParameterInputs;
  readonly environmentFile: string | undefined;
  readonly locate: (file: string | undefined, at: FieldPath) => Promise<string | undefined>;
}

/** Where the settings and parameters of the shards of one target come from. */
class TargetSources {
  readonly #parts: ExplainedParts;
  readonly #target: ManagedTarget;
  #origins: ReadonlyMap<string, FieldPath> | undefined;

  constructor(parts: ExplainedParts) {
    this.#parts = parts;
    this.#target = parts.one.target;
  }

  /** The place of a field of the entry. */
  async locateSetting(at: FieldPath): Promise<string> {
    const { file, index, where } = this.#target;
    const path = ["managed", index, ...at];
    return (await this.#parts.locate(file, path)) ?? `${where} ${formatFieldPath(path)}`;
  }

  async settings(shard: ShardSpec): Promise<ExplainedField[]> {
    const { spec, sharding } = this.#target;
    const { shard: _, ...override } = shard.shard_spec_overrides ?? {};
    const index = this.#overrideOf(shard);
    const fields: ExplainedField[] = [];
    for (const [path, value] of settingsOf(spec)) {
      // An override replaces all that is below its key.
      if (Object.hasOwn(override, String(path[0]))) continue;
      fields.push({ field: formatFieldPath(path), ...(await this.#said(path, value)), overrode: [] });
    }
    for (const [path, value] of settingsOf(override)) {
      const where = await this.locateSetting(["sharding", "shardSpecOverrides", index ?? 0, ...path]);
      const said = settingsOf(spec).find(([other]) => formatFieldPath(other) === formatFieldPath(path));
      const overrode = said ? [await this.#said(...said)] : [];
      fields.push({ field: formatFieldPath(path), value, source: "override", where, overrode });
    }
    const isKeyed = shard.shard_key !== "";
    const isSplit = isKeyed && shard.shards !== "";
    const subSharding = ["sharding", "shardSpecOverrides", index ?? 0, "subSharding", "shards"];
    const shards = isSplit ? subSharding : ["sharding", "shards"];
    const made: readonly (readonly [string, string, FieldPath])[] = [
      ["SHARDS", shard.shards, shards],
      ["SHARD_ID", shard.shard_id, shards],
      ["SHARD_KEY", shard.shard_key, ["sharding", "strategy"]],
      ["INTEGRATION_EXTRA_ARGS", shard.extra_args, isKeyed ? ["sharding", "strategy"] : ["spec", "extraArgs"]],
    ];
    for (const [field, value, at] of made) {
      if (value === "") continue;
      const isSpec = at[0] === "spec";
      const source = isSpec ? "spec" : isSplit && at === subSharding ? "override" : "sharding";
      const said: SaidValue =
        isSpec || sharding
          ? { value, source, where: await this.locateSetting(at) }
          : { value, source: "built-in default" };
      fields.push({ field, ...said, overrode: [] });
    }
    return fields.toSorted((one, other) => (one.field < other.field ? -1 : 1));
  }

  /** The parameters that the objects of this shard refer to. None where the chart refuses the target, which is an error then. */
  async parameters(shard: ShardSpec): Promise<ExplainedField[]> {
    const { namespace, chart, givers } = this.#parts;
    try {
      const sharded = { target: this.#target, shards: [shard] };
      this.#origins ??= defaultOrigins(namespace, sharded, { chart });
      const fields: ExplainedField[] = [];
      for (const [field, { overrode, ...given }] of usedParameters(namespace, sharded, { chart, givers })) {
        const weaker: SaidValue[] = [];
        for (const one of overrode) weaker.push(await this.#given(field, one));
        fields.push({ field, ...(await this.#given(field, given)), overrode: weaker });
      }
      return fields;
    } catch (error) {
      if (error instanceof InputError) return [];
      throw error;
    }
  }

  async #given(field: string, { value, source, detail }: ParameterValue): Promise<SaidValue> {
    const origin = source === "chart default" ? this.#origins?.get(field) : undefined;
    if (origin !== undefined) return await this.#said(origin, value);
    if (source !== "environment") return { value, source, where: detail };
    const where = await this.#parts.locate(this.#parts.environmentFile, ["parameters", field]);
    return { value, source, where: where ?? detail };
  }

  async #said(path: FieldPath, value: JsonValue): Promise<SaidValue> {
    return { value, source: "spec", where: await this.locateSetting(["spec", ...path]) };
  }

  #overrideOf(shard: ShardSpec): number | undefined {
    const overrides = this.#target.sharding?.shardSpecOverrides;
    return overrides?.findIndex((one) => one.shard === shard.shard_spec_overrides?.["shard"]);
  }
}
