import { withinDeclaredSchemas } from "../data/declared-schemas.ts";
import { type Finding, findingOf, locateFindings } from "../data/finding.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import { defaultUpstream } from "../parameters/image.ts";
import type { ChartValues } from "../values/chart-values.ts";
import { chartValues } from "../values/chart-values.ts";
import type { Desired, DesiredGroup, IntegrationError } from "./desired.ts";
import { desireGroup } from "./desire-group.ts";
import type { DesireOptions } from "./desire-options.ts";
import { renderAhead } from "./render-ahead.ts";
import { resolveImageTags } from "./image-tags.ts";
import { selectPlaces, type SelectOptions } from "./select-places.ts";

/** Decides from the data what should run, in all namespaces that the options leave. Reads nothing but the data and refs. */
export async function desireIntegrations(
  data: ManagerData,
  options: DesireOptions,
  signal: AbortSignal,
): Promise<Desired> {
  const queryable = await withinDeclaredSchemas(data, signal);
  const selection = await selectPlaces(queryable, options, signal);
  const caller = options.upstream ?? defaultUpstream;
  const environments = selection.groups.map(({ namespace }) => namespace.environment);
  const tags = await resolveImageTags(queryable, environments, caller, options, signal);
  const errors: Finding[] = [];
  const ahead = renderAhead(selection.groups, options.chart);
  const groups = selection.groups.map((group): DesiredGroup => {
    const { environment } = group.namespace;
    const tag = tags.get(environment);
    if (tag instanceof Error) {
      errors.push(...group.sharded.map(({ place }) => findingOf(place, ["namespace"], tag.message)));
      return { namespace: group.namespace, resources: [], kinds: [], parameters: new Map() };
    }
    const { processEnv, image, chart } = options;
    const givers = { environment, processEnv, image, tag };
    const outcome = desireGroup(group, { chart, caller, givers, manifests: ahead.get(group) });
    errors.push(...outcome.errors);
    return options.integration ? visiblePart(outcome.group, selection.isVisible) : outcome.group;
  });
  const visible = errors.filter(({ integration }) => selection.isVisible(integration));
  return {
    groups,
    errors: await locateFindings([...selection.errors, ...visible], options.locate, signal),
    warnings: await locateFindings(selection.warnings, options.locate, signal),
    declared: selection.declared,
    namespaces: selection.namespaces,
    callers: selection.callers,
  };
}

/** What a namespace shares is always visible. */
function visiblePart(group: DesiredGroup, isVisible: (integration: string) => boolean): DesiredGroup {
  const isShown = (attribution: string | undefined): boolean => attribution === undefined || isVisible(attribution);
  return { ...group, resources: group.resources.filter(({ attribution }) => isShown(attribution)) };
}

/** The values of one namespace, and what is wrong with the integrations that are missing in them. */
export interface NamespaceValues {
  readonly namespace: string;
  readonly cluster: string;
  readonly values: ChartValues;
}

/** The values that the chart gets for each namespace. */
export async function desireValues(
  queryable: ManagerData,
  options: SelectOptions & Pick<DesireOptions, "locate">,
  signal: AbortSignal,
): Promise<{ readonly namespaces: readonly NamespaceValues[]; readonly errors: readonly IntegrationError[] }> {
  const { groups, errors, isVisible } = await selectPlaces(queryable, options, signal);
  return {
    namespaces: groups.map(({ namespace, sharded }) => ({
      namespace: namespace.name,
      cluster: namespace.cluster.name,
      values: chartValues(sharded.filter(({ place }) => isVisible(place.integration))),
    })),
    errors: await locateFindings(errors, options.locate, signal),
  };
}
