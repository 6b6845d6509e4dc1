import { describeError, InputError } from "#base";
import { foreignCaller, type InventoryEntry, type ManagedObject, type ResourceInventory } from "#inventory";
import type { Desired, DesiredNamespace, IntegrationError } from "../desired/desired.ts";
import type { SurveyOptions } from "../survey/survey-clusters.ts";
import { targetKey } from "../survey/survey-namespaces.ts";

type Narrowed = SurveyOptions["desire"];

/** Adds the desired objects, and the errors of those that could not be computed, to the live objects of a survey. */
export function addAllDesired(desired: Desired, inventory: ResourceInventory, narrowed: Narrowed): void {
  for (const error of desired.errors) registerDesiredError(error, desired, inventory);
  const entries = Map.groupBy(inventory, ({ cluster, namespace }) => targetKey(cluster, namespace));
  for (const group of desired.groups) {
    const { cluster, name } = group.namespace;
    const found = entries.get(targetKey(cluster.name, name));
    if (found) addGroup(group, found, { inventory, narrowed, callers: desired.callers });
  }
}

function registerDesiredError(error: IntegrationError, desired: Desired, inventory: ResourceInventory): void {
  const { integration, where, what, next, namespace: path } = error;
  const target = path === undefined ? undefined : desired.namespaces.find((namespace) => namespace.path === path);
  inventory.registerError({
    stage: "desired",
    attribution: integration,
    cluster: target?.cluster.name ?? error.cluster,
    namespace: target?.name,
    what: where === undefined ? what : `${where}: ${what}`,
    next,
  });
}

interface Adding {
  readonly inventory: ResourceInventory;
  readonly callers: ReadonlySet<string>;
  readonly narrowed: Narrowed;
}

function addGroup(
  {
    namespace: {
      cluster: { name: cluster },
      name: namespace,
    },
    resources,
  }: DesiredNamespace,
  entries: readonly InventoryEntry[],
  adding: Adding,
): void {
  const { inventory } = adding;
  const states = new Map(entries.map((entry) => [entry.type, entry]));
  for (const resource of resources) {
    const type = typesOf(resource).find((each) => states.has(each)) ?? resource.kindAndGroup;
    const state = states.get(type);
    if (isOfAnotherManager(resource, state?.current.get(resource.name), adding)) continue;
    if (state?.desired.get(resource.name)?.sha256() === resource.sha256()) continue;
    try {
      inventory.addDesired({ cluster, namespace, kind: type, name: resource.name, value: resource });
    } catch (error) {
      const what = error instanceof InputError ? error.message : describeError(error);
      inventory.registerError({ stage: "desired", cluster, namespace, attribution: resource.attribution, what });
    }
  }
}

function typesOf({ kind, kindAndGroup, apiVersion }: ManagedObject): string[] {
  return [kind, kindAndGroup, `${kindAndGroup}/${apiVersion.split("/").at(-1)}`];
}

/** What several integrations share belongs to the manager that made it, for as long as that one runs. */
function isOfAnotherManager(
  { attribution }: ManagedObject,
  live: ManagedObject | undefined,
  { callers, narrowed: { upstream } }: Adding,
): boolean {
  if (attribution !== undefined || !live) return false;
  return foreignCaller(live.metadata, { caller: upstream || undefined, allCallers: [...callers] }) !== undefined;
}
