import { isJsonList, isJsonObject, type JsonObject } from "#base";
import { type Chart, isTemplate, type ChartManifest, processTemplate, renderChart } from "#template";
import type { NamespaceData } from "../data/integration.ts";
import { type ParameterGivers, parametersToGive, resolveParameters } from "../parameters/resolve-parameters.ts";
import type { ParameterTrail } from "../parameters/parameter-trail.ts";
import { chartValues, type ShardedPlace } from "../values/chart-values.ts";
import { attributeBy } from "./attribute-objects.ts";

export interface RenderedPlaces {
  /** In the order of the chart. */
  readonly objects: readonly JsonObject[];
  readonly parameters: ParameterTrail;
}

export interface RenderPlacesOptions {
  readonly chart: Chart;
  readonly givers: ParameterGivers;
  /** What the chart renders for these places, if that is known already. */
  readonly manifests?: readonly ChartManifest[] | undefined;
  /** What messages call the origin of a value. */
  readonly whereIs?: (path: readonly (string | number)[]) => string | undefined;
}

/** The objects that a chart makes of places of one namespace: what `helm template` and then `oc process` would give. */
export function renderPlaces(
  namespace: NamespaceData,
  sharded: readonly ShardedPlace[],
  options: RenderPlacesOptions,
): RenderedPlaces {
  const manifests = options.manifests ?? renderManifests(namespace, sharded, options);
  const parameters = resolveParameters(declaredParameters(manifests), options.givers);
  const given = parametersToGive(parameters);
  const objects = manifests.flatMap(({ object, source }) => {
    if (!object) return [];
    return isTemplate(object) ? processTemplate(object, { parameters: given, where: source }).objects : [object];
  });
  return { objects, parameters };
}

/** The parameters that the objects of one place refer to. */
export function usedParameters(
  namespace: NamespaceData,
  sharded: ShardedPlace,
  options: RenderPlacesOptions,
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

/** What a chart makes of places of one namespace, before parameters are filled in. */
export function renderManifests(
  namespace: Pick<NamespaceData, "name">,
  sharded: readonly ShardedPlace[],
  { chart, whereIs }: Pick<RenderPlacesOptions, "chart" | "whereIs">,
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
