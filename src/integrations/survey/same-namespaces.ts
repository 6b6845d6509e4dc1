import type { ResourceInventory } from "#inventory";
import type { DataClusterSource } from "../clusters/data-clusters.ts";
import type { SurveyedNamespace } from "./survey-namespaces.ts";

type Sources = readonly Pick<DataClusterSource, "name" | "endpoint">[];

/** Where a namespace really is: clusters of the data may be one and the same. */
function namespaceKeys(sources: Sources): (each: SurveyedNamespace) => string {
  const endpoints = new Map(sources.map(({ name, endpoint }) => [name, endpoint]));
  return ({ cluster, namespace }) => `${endpoints.get(cluster.name)} ${namespace}`;
}

/** Without what seems to be left behind and is a namespace that the data knows by another name of its cluster. */
export function dropRenamed(namespaces: readonly SurveyedNamespace[], sources: Sources): readonly SurveyedNamespace[] {
  const endpointOf = namespaceKeys(sources);
  const wanted = new Set(namespaces.filter(({ isOrphan }) => !isOrphan).map(endpointOf));
  return namespaces.filter((each) => !each.isOrphan || !wanted.has(endpointOf(each)));
}

/** Two namespaces of the data that are one on the cluster would delete each other's objects. */
export function refuseSameNamespaces(
  namespaces: readonly SurveyedNamespace[],
  sources: Sources,
  inventory: ResourceInventory,
): void {
  const endpoints = new Map(sources.map(({ name, endpoint }) => [name, endpoint]));
  const same = Map.groupBy(namespaces, namespaceKeys(sources));
  for (const group of same.values()) {
    if (group.length < 2) continue;
    const names = group.map(({ cluster }) => cluster.name).join(" and ");
    for (const { cluster, namespace } of group) {
      inventory.registerError({
        cluster: cluster.name,
        namespace,
        what: `the clusters ${names} are both ${endpoints.get(cluster.name)}, and both have a namespace ${namespace}`,
        next: "connect to them in different ways, or select only one of them",
      });
    }
  }
}
