import { isJsonList, isJsonObject, type JsonObject } from "#base";
import { type Marks, renderedAttribution } from "#inventory";
import { type Chart, isTemplate, type ChartManifest, processTemplate, renderChart } from "#template";
import type { NamespaceData } from "../data/integration.ts";
import {
  type ParameterInputs,
  templateParameters,
  type ParameterTrail,
  resolveParameters,
} from "./resolve-parameters.ts";
import { chartValues, type ShardedTarget } from "./chart-values.ts";

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
