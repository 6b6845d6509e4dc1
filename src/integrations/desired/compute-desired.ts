import { withoutInvalid } from "../data/data-validity.ts";
import { withinDeclaredSchemas } from "../data/declared-schemas.ts";
import { type IntegrationFinding, locateFindings, targetFinding } from "../data/integration-finding.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import { computeDesiredNamespace } from "./desired-namespace.ts";
import type { Desired, DesiredNamespace, DesiredOptions, IntegrationError } from "./desired.ts";
import { resolveImageTags } from "./image-tags.ts";
import { renderAhead } from "./render-ahead.ts";
import { type ChartValues, chartValues } from "./render-targets.ts";
import { type SelectOptions, selectTargets } from "./select-targets.ts";
import { defaultUpstream } from "../manager-defaults.ts";

/** Decides from the data what should run, in all namespaces that the options leave. Reads nothing but the data and refs. */
export async function computeDesired(
  data: ManagerData,
  options: DesiredOptions,
  signal: AbortSignal,
): Promise<Desired> {
  const queryable = await withinDeclaredSchemas(withoutInvalid(data), signal);
  const selection = await selectTargets(queryable, options, signal);
  const caller = options.upstream ?? defaultUpstream;
  const environments = selection.groups.map(({ namespace }) => namespace.environment);
  const tags = await resolveImageTags(queryable, environments, caller, options, signal);
  const errors: IntegrationFinding[] = [];
  const ahead = renderAhead(selection.groups, options.chart);
  const groups = selection.groups.map((group): DesiredNamespace => {
    const { environment } = group.namespace;
    const tag = tags.get(environment);
    if (tag instanceof Error) {
      errors.push(...group.sharded.map(({ target }) => targetFinding(target, ["namespace"], tag.message)));
      return { namespace: group.namespace, resources: [], kinds: [], parameters: new Map() };
    }
    const { processEnv, image, imageFrom, chart } = options;
    const givers = { environment, processEnv, image, imageFrom, tag };
    const outcome = computeDesiredNamespace(group, { chart, caller, givers, manifests: ahead.get(group) });
    errors.push(...outcome.errors);
    return options.integration ? visiblePart(outcome.group, selection.isVisible) : outcome.group;
  });
  const visible = errors.filter(({ integration }) => selection.isVisible(integration));
  return {
    groups,
    errors: await locateFindings([...selection.errors, ...visible], options.locate, signal),
    warnings: await locateFindings(selection.warnings, options.locate, signal),
    declared: selection.declared,
    names: selection.names,
    namespaces: selection.namespaces,
    callers: selection.callers,
    suspensions: selection.suspensions,
    running: selection.running,
    after: selection.after,
  };
}

/** What a namespace shares is always visible. */
function visiblePart(group: DesiredNamespace, isVisible: (integration: string) => boolean): DesiredNamespace {
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
export async function computeValues(
  queryable: ManagerData,
  options: SelectOptions,
  signal: AbortSignal,
): Promise<{ readonly namespaces: readonly NamespaceValues[]; readonly errors: readonly IntegrationError[] }> {
  const { groups, errors, isVisible } = await selectTargets(withoutInvalid(queryable), options, signal);
  return {
    namespaces: groups.map(({ namespace, sharded }) => ({
      namespace: namespace.name,
      cluster: namespace.cluster.name,
      values: chartValues(sharded.filter(({ target }) => isVisible(target.integration))),
    })),
    errors: await locateFindings(errors, options.locate, signal),
  };
}
