import { type FieldPath, InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { type Marks, renderedAttribution } from "#inventory";
import { type Chart, type ChartManifest, isTemplate, processTemplate, renderChart } from "#template";
import type { ManagedTarget, NamespaceData } from "../data/integration.ts";
import type { ShardSpec } from "./make-shards.ts";
import {
  type ParameterInputs,
  type ParameterTrail,
  resolveParameters,
  templateParameters,
} from "./resolve-parameters.ts";

/** A target, split into its shards. */
export interface ShardedTarget {
  readonly target: ManagedTarget;
  readonly shards: readonly ShardSpec[];
}

/** The values of one namespace, as qontract-reconcile's chart takes them, and ours. */
// A type, because an interface is not a JsonObject.
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
export function valueOrigin(
  sharded: readonly ShardedTarget[],
  [list, index, key, ...below]: FieldPath,
): { readonly target: ManagedTarget; readonly at: FieldPath } | undefined {
  const listed = sharded.filter(({ target }) => hasSchedule(target) === (list === "cronjobs"));
  const target = typeof index === "number" ? listed[index]?.target : undefined;
  if (!target) return undefined;
  if (key === undefined || key === "name") return { target, at: [] };
  return { target, at: key === "shard_specs" ? ["sharding"] : ["spec", key, ...below] };
}

export interface RenderedTargets {
  /** In the order of the chart. */
  readonly objects: readonly JsonObject[];
  readonly parameters: ParameterTrail;
}

interface RenderTargetsOptions {
  readonly chart: Chart;
  readonly givers: ParameterInputs;
  /** What the chart renders for these targets, if that is known already. */
  readonly manifests?: readonly ChartManifest[] | undefined;
  /** What messages call the origin of a value. */
  readonly whereIs?: (path: readonly (string | number)[]) => string | undefined;
}

/** The objects that a chart makes of targets of one namespace: what `helm template` and then `oc process` would give. */
export function renderTargets(
  namespace: NamespaceData,
  sharded: readonly ShardedTarget[],
  options: RenderTargetsOptions,
): RenderedTargets {
  const manifests = options.manifests ?? renderManifests(namespace, sharded, options);
  const parameters = resolveParameters(declaredParameters(manifests), options.givers);
  const given = templateParameters(parameters);
  const objects = manifests.flatMap(({ object, source }) => {
    if (!object) return [];
    return isTemplate(object) ? processTemplate(object, { parameters: given, where: source }).objects : [object];
  });
  return { objects, parameters };
}

/** The parameters that the objects of one target refer to. */
export function usedParameters(
  namespace: NamespaceData,
  sharded: ShardedTarget,
  options: RenderTargetsOptions,
): ParameterTrail {
  const manifests = renderManifests(namespace, [sharded], options);
  const attribute = attributeBy([sharded]);
  const objects = manifests.flatMap(
    ({ object }) => (object && isTemplate(object) ? object["objects"] : undefined) ?? [],
  );
  const own = objects.filter((object) => isJsonObject(object) && attribute(object) !== undefined);
  const used = new Set([...JSON.stringify(own).matchAll(/\$\{\{?(\w+)\}/g)].map(([, name]) => name));
  const trail = resolveParameters(declaredParameters(manifests), options.givers);
  return new Map([...trail].filter(([name]) => used.has(name)));
}

/** Of the parameters whose defaults are settings of the target, the path of that setting in its `spec`. */
export function defaultOrigins(
  namespace: Pick<NamespaceData, "name">,
  { target, shards }: ShardedTarget,
  { chart }: Pick<RenderTargetsOptions, "chart">,
): ReadonlyMap<string, FieldPath> {
  const defaultsOf = (spec: JsonObject) =>
    declaredParameters(
      renderManifests(namespace, [{ target: { ...target, spec }, shards: shards.slice(0, 1) }], { chart }),
    );
  const defaults = defaultsOf(target.spec);
  const origins = new Map<string, FieldPath>();
  for (const [path, value] of settingsOf(target.spec)) {
    // A setting is the origin of a default if the default follows it.
    if (typeof value !== "string" && typeof value !== "number") continue;
    const candidates = [...defaults].filter(([, text]) => text !== "" && text === String(value));
    if (candidates.length === 0) continue;
    const other = typeof value === "number" ? value + 1 : `1${value}`;
    const changed = unlessRefused(() => defaultsOf(withLeaf(target.spec, path, other)));
    for (const [name] of candidates) if (changed?.get(name) === String(other)) origins.set(name, path);
  }
  return origins;
}

/** Undefined where the chart does not accept the settings. */
function unlessRefused<Answer>(render: () => Answer): Answer | undefined {
  try {
    return render();
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** Everything in it but objects, with its path. */
export function settingsOf(table: JsonObject, above: FieldPath = []): (readonly [FieldPath, JsonValue])[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const path = [...above, key];
    return isJsonObject(value) ? settingsOf(value, path) : [[path, value] as const];
  });
}

function withLeaf(table: JsonObject, [key, ...below]: FieldPath, value: JsonValue): JsonObject {
  if (key === undefined) return table;
  const inner = table[key];
  return { ...table, [key]: isJsonObject(inner) ? withLeaf(inner, below, value) : value };
}

/** What a chart makes of targets of one namespace, before parameters are filled in. */
export function renderManifests(
  namespace: Pick<NamespaceData, "name">,
  sharded: readonly ShardedTarget[],
  { chart, whereIs }: Pick<RenderTargetsOptions, "chart" | "whereIs">,
): readonly ChartManifest[] {
  const { manifests } = renderChart(chart, {
    values: chartValues(sharded),
    release: { name: "integrations", namespace: namespace.name },
    ...(whereIs && { whereIs }),
  });
  return manifests;
}

/** Of all Templates together, with their defaults. */
function declaredParameters(manifests: readonly ChartManifest[]): ReadonlyMap<string, string> {
  const declared = new Map<string, string>();
  for (const { object } of manifests) {
    const parameters = object && isTemplate(object) ? object["parameters"] : undefined;
    for (const parameter of isJsonList(parameters) ? parameters : []) {
      const { name, value = "" } = isJsonObject(parameter) ? parameter : {};
      if (typeof name === "string") declared.set(name, typeof value === "string" ? value : JSON.stringify(value));
    }
  }
  return declared;
}

/** To which of these integrations an object of a chart belongs; undefined for what a namespace shares. */
export function attributeBy(sharded: readonly ShardedTarget[]): (object: JsonObject) => string | undefined {
  const integrations = new Set(sharded.map(({ target }) => target.integration));
  const objectNames = new Map(
    sharded.flatMap(({ target, shards }) =>
      shards.map(({ shard_name_suffix: suffix }) => [`${target.integration}${suffix}`, target.integration] as const),
    ),
  );
  const attribute = renderedAttribution(integrations, objectNames);
  return ({ metadata }) => attribute(isMarks(metadata) ? metadata : {});
}

function isMarks(metadata: unknown): metadata is Marks {
  return typeof metadata === "object" && metadata !== null;
}
