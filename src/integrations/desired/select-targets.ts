import { compareText, InputError, nearestName } from "#base";
import type { IntegrationFinding, IntegrationFindings } from "../data/integration-finding.ts";
import type { Integration, ManagedTarget, NamespaceData } from "../data/integration.ts";
import { type ManagerData, readIntegrations } from "../data/read-integrations.ts";
import { checkNames, checkSettings } from "./check-targets.ts";
import type { DataSuspension, DesiredOptions } from "./desired.ts";
import { makeShards, readShardSources, type ShardSources } from "./make-shards.ts";
import type { ShardedTarget } from "./render-targets.ts";
import { defaultUpstream } from "../manager-defaults.ts";

export type SelectOptions = Pick<
  DesiredOptions,
  | "upstream"
  | "environment"
  | "integration"
  | "cluster"
  | "namespace"
  | "formerClusters"
  | "formerNamespaces"
  | "formerIntegrations"
  | "allowZeroShards"
  | "locate"
>;

/** What runs in one namespace. */
export interface NamespaceTargets {
  readonly namespace: NamespaceData;
  readonly sharded: readonly ShardedTarget[];
}

/** The targets of a run, split into shards; what cannot run has become an error. */
export interface TargetSelection {
  readonly groups: readonly NamespaceTargets[];
  readonly errors: IntegrationFinding[];
  readonly warnings: IntegrationFinding[];
  readonly declared: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** Of all integrations that were read, also where the run does not look. */
  readonly namespaces: readonly NamespaceData[];
  readonly callers: ReadonlySet<string>;
  readonly suspensions: readonly DataSuspension[];
  readonly after: ReadonlyMap<string, readonly string[]>;
  /** Paths of the namespaces in which something visible runs. */
  readonly running: ReadonlySet<string>;
  /** Whether a run looks at an integration. One that it hides is rendered all the same, for what a namespace shares. */
  readonly isVisible: (integration: string) => boolean;
}

/** Reads the data and chooses from it; nothing is rendered yet. */
export async function selectTargets(
  queryable: ManagerData,
  options: SelectOptions,
  signal: AbortSignal,
): Promise<TargetSelection> {
  const read = await readIntegrations(queryable, { upstream: options.upstream }, signal);
  requireKnown(read, options);
  const isVisible = (name: string): boolean => !options.integration || options.integration.includes(name);
  const targets = read.integrations.flatMap((one) =>
    one.targets.filter(({ namespace }) => isChosen(namespace, options)),
  );
  const visible = targets.filter(({ integration }) => isVisible(integration));
  const strategies = new Set(targets.flatMap(({ sharding }) => sharding?.strategy ?? []));
  const sources = await readShardSources(queryable, strategies, options.locate, signal);
  const paths = new Set(targets.map(({ namespace }) => namespace.path));
  const errors = read.errors.filter((finding) => concernsRun(finding, options, paths));
  const warnings = read.warnings.filter((finding) => concernsRun(finding, options, paths));
  const groups = [...Map.groupBy(targets, ({ namespace }) => namespace.path).values()].flatMap((found) =>
    groupOf(found, sources, options, errors, warnings),
  );
  return {
    groups,
    errors: errors.filter(({ integration }) => isVisible(integration)),
    warnings: warnings.filter(({ integration }) => isVisible(integration)),
    namespaces: [...new Set(read.integrations.flatMap((one) => one.targets.map(({ namespace }) => namespace)))],
    callers: new Set([...read.upstreams].map((upstream) => upstream ?? defaultUpstream)),
    names: read.names,
    after: new Map(read.integrations.filter(({ after }) => after.length > 0).map(({ name, after }) => [name, after])),
    suspensions: read.integrations.filter(({ name }) => isVisible(name)).flatMap(suspensionsOf),
    running: new Set(visible.map(({ namespace }) => namespace.path)),
    declared: new Set(visible.map(({ integration }) => integration)),
    isVisible,
  };
}

function suspensionsOf({ name: integration, where, suspended, targets }: Integration): DataSuspension[] {
  if (suspended !== undefined) return [{ integration, reason: suspended, where }];
  return targets.flatMap(({ suspended: reason, namespace: { name: namespace, cluster } }) =>
    reason === undefined ? [] : [{ integration, target: { cluster: cluster.name, namespace }, reason, where }],
  );
}

function isChosen({ name, environment, cluster }: NamespaceData, options: SelectOptions): boolean {
  if (options.environment && environment.name !== options.environment) return false;
  if (options.namespace && !options.namespace.includes(name)) return false;
  return !options.cluster || options.cluster.includes(cluster.name);
}

/** A finding about a target that the run does not look at is left out. */
function concernsRun(
  { environment, cluster, namespace: path }: IntegrationFinding,
  options: SelectOptions,
  paths: ReadonlySet<string>,
): boolean {
  if (options.namespace && path !== undefined && !paths.has(path)) return false;
  if (options.environment && environment !== undefined && environment !== options.environment) return false;
  return !options.cluster || cluster === undefined || options.cluster.includes(cluster);
}

/** Splits the targets of a namespace into shards. With an error, a target is left out. */
function groupOf(
  targets: readonly ManagedTarget[],
  sources: ShardSources,
  options: SelectOptions,
  errors: IntegrationFinding[],
  warnings: IntegrationFinding[],
): NamespaceTargets[] {
  const broken = new Set<string>();
  const note = (found: {
    readonly errors: readonly IntegrationFinding[];
    readonly warnings: readonly IntegrationFinding[];
  }): void => {
    errors.push(...found.errors);
    warnings.push(...found.warnings);
    for (const { integration } of found.errors) broken.add(integration);
  };
  const sharded = targets.map((target) => {
    const made = makeShards(target, sources, options);
    note(made);
    note(checkSettings(target));
    return { target, shards: made.shards };
  });
  note({ errors: checkNames(sharded), warnings: [] });
  const [first] = targets;
  if (!first) return [];
  const whole = sharded.filter(({ target }) => !broken.has(target.integration));
  return [{ namespace: first.namespace, sharded: whole }];
}

/** A name that does not exist is a mistake; ignoring it would make an empty run that looks like success. */
function requireKnown(
  { integrations, errors }: { readonly integrations: readonly Integration[] } & Pick<IntegrationFindings, "errors">,
  options: SelectOptions,
): void {
  const names = new Set([...integrations.map(({ name }) => name), ...errors.map(({ integration }) => integration)]);
  const clusters = integrations.flatMap(({ targets }) => targets.map(({ namespace }) => namespace.cluster.name));
  requireEach("integration", options.integration ?? [], new Set([...names, ...(options.formerIntegrations ?? [])]));
  const namespaces = integrations.flatMap(({ targets }) => targets.map(({ namespace }) => namespace.name));
  requireEach("cluster", options.cluster ?? [], new Set([...clusters, ...(options.formerClusters ?? [])]));
  requireEach("namespace", options.namespace ?? [], new Set([...namespaces, ...(options.formerNamespaces ?? [])]));
}

const missing = {
  integration: { say: (names: string) => `integration ${names} not found in the data`, known: "the data has" },
  cluster: { say: (names: string) => `no integration runs on cluster ${names}`, known: "integrations run on" },
  namespace: { say: (names: string) => `no integration runs in namespace ${names}`, known: "integrations run in" },
};
const mostNames = 10;

function requireEach(what: keyof typeof missing, wanted: readonly string[], known: ReadonlySet<string>): void {
  const unknown = wanted.filter((name) => !known.has(name));
  const [first] = unknown;
  if (first === undefined) return;
  const names = [...known].toSorted(compareText);
  const near = nearestName(first, names);
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  const list = `${missing[what].known} ${names.slice(0, mostNames).join(", ")}${more}`;
  throw new InputError(missing[what].say(unknown.join(", ")), {
    where: `--${what}`,
    ...(names.length > 0 && { next: near === undefined ? list : `did you mean ${near}?` }),
  });
}
