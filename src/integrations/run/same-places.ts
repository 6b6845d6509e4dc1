import type { ResourceInventory } from "#inventory";
import type { DataClusterSource } from "../clusters/cluster-access.ts";
import type { SurveyedNamespace } from "./survey-namespaces.ts";

type Sources = readonly Pick<DataClusterSource, "name" | "place">[];

/** Where a namespace really is: clusters of the data may be one and the same. */
function placesBy(sources: Sources): (each: SurveyedNamespace) => string {
  const places = new Map(sources.map(({ name, place }) => [name, place]));
  return ({ cluster, namespace }) => `${places.get(cluster.name)} ${namespace}`;
}

/** Without what seems to be left behind and is a namespace that the data knows by another name of its cluster. */
export function dropRenamed(namespaces: readonly SurveyedNamespace[], sources: Sources): readonly SurveyedNamespace[] {
  const placeOf = placesBy(sources);
  const wanted = new Set(namespaces.filter(({ isOrphan }) => !isOrphan).map(placeOf));
  return namespaces.filter((each) => !each.isOrphan || !wanted.has(placeOf(each)));
}

/** Two namespaces of the data that are one on the cluster would delete each other's objects. */
export function refuseSamePlaces(
  namespaces: readonly SurveyedNamespace[],
  sources: Sources,
  inventory: ResourceInventory,
): void {
  const places = new Map(sources.map(({ name, place }) => [name, place]));
  const same = Map.groupBy(namespaces, placesBy(sources));
  for (const group of same.values()) {
    if (group.length < 2) continue;
    const names = group.map(({ cluster }) => cluster.name).join(" and ");
    for (const { cluster, namespace } of group) {
      inventory.registerError({
        cluster: cluster.name,
        namespace,
        what: `the clusters ${names} are both ${places.get(cluster.name)}, and both have a namespace ${namespace}`,
        next: "connect to them in different ways, or select only one of them",
      });
    }
  }
}
