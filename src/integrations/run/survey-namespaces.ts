import { tokenReference } from "../clusters/cluster-token.ts";
import type { ClusterData, NamespaceData } from "../data/integration.ts";
import type { Desired } from "../desired/desired.ts";
import { defaultUpstream } from "../parameters/image.ts";
import type { RememberedNamespace } from "./remembered-namespaces.ts";

/** What upstream's manager manages; others are managed where they are rendered. */
const baseKinds: readonly string[] = ["Deployment", "StatefulSet", "CronJob", "Service"];

/** What a run leaves out, because the user says so. */
export interface Narrowing {
  readonly upstream?: string | undefined;
  readonly environment?: string | undefined;
  readonly cluster?: readonly string[] | undefined;
  /** Only these, as `cluster/namespace`. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** A namespace that a run looks at. */
export interface SurveyedNamespace {
  readonly cluster: ClusterData;
  readonly namespace: string;
  readonly kinds: readonly string[];
  /** What is to be remembered of it. */
  readonly memory: RememberedNamespace;
  /** No integration has a place here any more: what is left is removed. */
  readonly isOrphan: boolean;
}

export interface Survey {
  readonly namespaces: readonly SurveyedNamespace[];
  /** Namespaces that are marked to go: nothing is written there, and nothing deleted. */
  readonly leaving: readonly NamespaceData[];
}

/** Decides where a run looks: wherever data of its scope says, and where it once was and the data no longer says so. */
export function surveyNamespaces(
  desired: Pick<Desired, "groups" | "namespaces">,
  remembered: readonly RememberedNamespace[],
  narrowing: Narrowing,
  managedKinds?: readonly string[],
): Survey {
  const rendered = new Set(desired.groups.flatMap(({ kinds }) => kinds));
  const named = new Map(
    desired.namespaces.map((namespace) => [placeKey(namespace.cluster.name, namespace.name), namespace]),
  );
  const known = new Map(desired.namespaces.map(({ cluster }) => [cluster.name, cluster]));
  const caller = narrowing.upstream || defaultUpstream;
  const before = Map.groupBy(remembered, ({ cluster, namespace }) => placeKey(cluster.name, namespace));

  const kindsOf = (key: string): string[] => {
    if (managedKinds) return [...managedKinds];
    return [...new Set([...baseKinds, ...rendered, ...(before.get(key) ?? []).flatMap(({ kinds }) => kinds)])];
  };

  const leaving: NamespaceData[] = [];
  const namespaces: SurveyedNamespace[] = [];
  for (const [key, data] of named) {
    if (!isInScope(data.cluster.name, data.environment.name, key, narrowing)) continue;
    if (data.delete) {
      leaving.push(data);
      continue;
    }
    const { cluster, name: namespace } = data;
    const kinds = kindsOf(key);
    namespaces.push({ cluster, namespace, kinds, memory: memoryOf(data, caller, kinds), isOrphan: false });
  }
  for (const entry of remembered) {
    const { cluster, namespace, environment } = entry;
    const key = placeKey(cluster.name, namespace);
    if (named.has(key) || !isInScope(cluster.name, environment, key, narrowing)) continue;
    if (narrowing.upstream && entry.caller !== narrowing.upstream) continue;
    const place = known.get(cluster.name) ?? { ...cluster, disabledIntegrations: [], automationTokens: [], labels: {} };
    namespaces.push({ cluster: place, namespace, kinds: kindsOf(key), memory: entry, isOrphan: true });
  }
  return { namespaces, leaving };
}

/** How a place is called where one word is needed. */
export function placeKey(cluster: string, namespace: string): string {
  return `${cluster}/${namespace}`;
}

function isInScope(cluster: string, environment: string, key: string, narrowing: Narrowing): boolean {
  if (narrowing.environment && environment !== narrowing.environment) return false;
  if (narrowing.cluster && !narrowing.cluster.includes(cluster)) return false;
  return narrowing.only === undefined || narrowing.only.has(key);
}

/** What is worth remembering of a namespace of the data. */
export function memoryOf(
  { cluster, name: namespace, environment }: NamespaceData,
  caller: string,
  kinds: readonly string[],
): RememberedNamespace {
  return { cluster: withoutDetails(cluster), namespace, environment: environment.name, caller, kinds };
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
