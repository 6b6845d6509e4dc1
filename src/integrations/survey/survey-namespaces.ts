import type { Attribute, ResourceInventory } from "#inventory";
import { tokenReference } from "../clusters/cluster-token.ts";
import type { ClusterData, NamespaceData } from "../data/integration.ts";
import type { Desired } from "../desired/desired.ts";
import { baseKinds, defaultUpstream } from "../manager-defaults.ts";
import type { RememberedNamespace } from "./remembered-namespaces.ts";

/** What the user narrows a run to. */
export interface RunFilter {
  readonly upstream?: string | undefined;
  readonly environment?: string | undefined;
  readonly cluster?: readonly string[] | undefined;
  readonly namespace?: readonly string[] | undefined;
  /** Only namespaces in which one of these runs, or has run. */
  readonly integration?: readonly string[] | undefined;
  /** Only these, as `cluster/namespace`. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** A namespace that a run looks at. */
export interface SurveyedNamespace {
  readonly cluster: ClusterData;
  readonly namespace: string;
  readonly kinds: readonly string[];
  /** What the memory keeps of it. */
  readonly memory: RememberedNamespace;
  /** No integration runs here any more: what is left is removed. */
  readonly isOrphan: boolean;
}

export interface NamespaceSurvey {
  readonly namespaces: readonly SurveyedNamespace[];
  /** Nothing is written or deleted in these. */
  readonly markedForDeletion: readonly NamespaceData[];
}

/** Decides which namespaces a run looks at: those of the data in its scope, and remembered ones that the data no longer names. */
export function surveyNamespaces(
  desired: Pick<Desired, "groups" | "namespaces" | "running">,
  remembered: readonly RememberedNamespace[],
  narrowing: RunFilter,
  managedKinds?: readonly string[],
): NamespaceSurvey {
  const rendered = new Set(desired.groups.flatMap(({ kinds }) => kinds));
  const named = new Map(
    desired.namespaces.map((namespace) => [targetKey(namespace.cluster.name, namespace.name), namespace]),
  );
  const known = new Map(desired.namespaces.map(({ cluster }) => [cluster.name, cluster]));
  const caller = narrowing.upstream || defaultUpstream;
  const before = Map.groupBy(remembered, ({ cluster, namespace }) => targetKey(cluster.name, namespace));
  const mayHave = (entry: RememberedNamespace): boolean =>
    !narrowing.integration ||
    !entry.integrations ||
    narrowing.integration.some((name) => entry.integrations?.includes(name));

  const kindsOf = (key: string): string[] => {
    if (managedKinds) return [...managedKinds];
    return [...new Set([...baseKinds, ...rendered, ...(before.get(key) ?? []).flatMap(({ kinds }) => kinds)])];
  };

  const markedForDeletion: NamespaceData[] = [];
  const namespaces: SurveyedNamespace[] = [];
  for (const [key, data] of named) {
    if (!isInScope({ cluster: data.cluster.name, namespace: data.name, environment: data.environment.name }, narrowing))
      continue;
    if (narrowing.integration && !desired.running.has(data.path) && !before.get(key)?.some(mayHave)) continue;
    if (data.delete) {
      markedForDeletion.push(data);
      continue;
    }
    const { cluster, name: namespace } = data;
    const kinds = kindsOf(key);
    namespaces.push({ cluster, namespace, kinds, memory: toRemember(data, caller, kinds), isOrphan: false });
  }
  for (const entry of remembered) {
    const { cluster, namespace, environment } = entry;
    const key = targetKey(cluster.name, namespace);
    if (named.has(key) || !isInScope({ cluster: cluster.name, namespace, environment }, narrowing)) continue;
    if (narrowing.upstream && entry.caller !== narrowing.upstream) continue;
    if (!mayHave(entry)) continue;
    const target = known.get(cluster.name) ?? {
      ...cluster,
      disabledIntegrations: [],
      automationTokens: [],
      labels: {},
    };
    namespaces.push({ cluster: target, namespace, kinds: kindsOf(key), memory: entry, isOrphan: true });
  }
  return { namespaces, markedForDeletion };
}

/** A target in one word. */
export function targetKey(cluster: string, namespace: string): string {
  return `${cluster}/${namespace}`;
}

function isInScope(
  { cluster, namespace, environment }: Readonly<Record<"cluster" | "namespace" | "environment", string>>,
  narrowing: RunFilter,
): boolean {
  if (narrowing.namespace && !narrowing.namespace.includes(namespace)) return false;
  if (narrowing.environment && environment !== narrowing.environment) return false;
  if (narrowing.cluster && !narrowing.cluster.includes(cluster)) return false;
  return narrowing.only === undefined || narrowing.only.has(targetKey(cluster, namespace));
}

/** What the memory keeps of a namespace of the data. */
export function toRemember(
  { cluster, name: namespace, environment }: NamespaceData,
  caller: string,
  kinds: readonly string[],
): RememberedNamespace {
  return { cluster: withoutDetails(cluster), namespace, environment: environment.name, caller, kinds };
}

/** The same namespaces with the integrations that have objects there, or should: what the memory keeps of them. */
export function withIntegrations(
  namespaces: readonly SurveyedNamespace[],
  inventory: ResourceInventory,
  attribute: Attribute,
): readonly SurveyedNamespace[] {
  const names = new Map<string, Set<string>>();
  for (const { cluster, namespace, current, desired } of inventory) {
    const key = targetKey(cluster, namespace);
    const known = names.get(key) ?? new Set();
    names.set(key, known);
    for (const { metadata } of current.values()) known.add(attribute(metadata) ?? "");
    for (const { attribution = "" } of desired.values()) known.add(attribution);
  }
  return namespaces.map((each) => {
    const found = names.get(targetKey(each.cluster.name, each.namespace)) ?? [];
    const integrations = [...found].filter((name) => name !== "");
    return each.isOrphan ? each : { ...each, memory: { ...each.memory, integrations } };
  });
}

function withoutDetails(cluster: ClusterData): RememberedNamespace["cluster"] {
  const { name, serverUrl, internal, insecureSkipTlsVerify } = cluster;
  const automationToken = tokenReference(cluster);
  return {
    name,
    serverUrl,
    ...(internal === undefined ? {} : { internal }),
    ...(insecureSkipTlsVerify === undefined ? {} : { insecureSkipTlsVerify }),
    ...(automationToken === undefined ? {} : { automationToken }),
  };
}
