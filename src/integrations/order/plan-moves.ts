import { isJsonObject, type JsonObject } from "#base";
import {
  type Action,
  type Attribute,
  movedFromAnnotation,
  ownerOf,
  type Plan,
  type PlanRefusal,
  type ResourceInventory,
  type Target,
} from "#inventory";
import { targetKey } from "../survey/survey-namespaces.ts";
import { refusalOf, revisePlan, waitingFor } from "./revise-plan.ts";

/** What is known of one integration in one namespace. */
interface Presence extends Target {
  isDesired: boolean;
  /** Something of it is there and ours. */
  isLive: boolean;
  /** Something that is desired there is there already. */
  isRunning: boolean;
  /** Namespaces that it was moved from, as its live objects say. */
  readonly movedFrom: Set<string>;
}

/**
 * Makes moves of what a plan creates in one namespace and deletes in another: the deletion waits until the integration is
 * healthy at its destination, and is held back if nothing can be written there. What is created says where it was moved
 * from, so that a run which is killed in between is continued by the next one.
 */
export function planMoves(plan: Plan, inventory: ResourceInventory, attribute: Attribute, isConfirmed = false): Plan {
  if (plan.actions.length === 0) return plan;
  const places = findPlaces(plan, inventory, attribute);
  const refusals: PlanRefusal[] = [];
  const held = new Set<string>();
  const moved = plan.actions.flatMap((action): Action[] => {
    const here = targetKey(action.cluster, action.namespace);
    if (action.action !== "delete") return [markMoved(action, here, places)];
    const { attribution } = action;
    const all = destinationsOf(attribution, here, places);
    const blocked = all.find((target) => obstacleAt(target, attribution, plan, inventory) !== undefined);
    if (blocked && !isConfirmed) {
      held.add(here);
      const why = obstacleAt(blocked, attribution, plan, inventory);
      const reason = `${attribution} moves to ${nameOf(blocked)}, where it cannot be written: ${why}`;
      const next = "fix that, then run again; if it is not to run there, confirm the deletions";
      refusals.push(refusalOf(action, reason, next));
      return [];
    }
    const destinations = all.filter((target) => obstacleAt(target, attribution, plan, inventory) === undefined);
    if (destinations.length === 0) return [action];
    const names = destinations.map(nameOf).join(" and ");
    const waits = destinations.map(({ cluster, namespace }) => ({ cluster, namespace, attribution }));
    return [waitingFor({ ...action, reason: `moved to ${names}` }, waits)];
  });
  const actions = keepShared(moved, held, refusals);
  return actions.every((action, index) => action === plan.actions[index]) && refusals.length === 0
    ? plan
    : revisePlan(plan, actions, refusals);
}

function nameOf({ cluster, namespace }: Target): string {
  return targetKey(cluster, namespace);
}

type Places = ReadonlyMap<string, ReadonlyMap<string, Presence>>;

function findPlaces(plan: Plan, inventory: ResourceInventory, attribute: Attribute): Places {
  const places = new Map<string, Map<string, Presence>>();
  const failed = new Set(plan.refusals.filter(({ isError }) => isError).map(addressKey));
  function at(integration: string, { cluster, namespace }: Target): Presence {
    const all = places.get(integration) ?? new Map<string, Presence>();
    places.set(integration, all);
    const key = targetKey(cluster, namespace);
    const blank = {
      cluster,
      namespace,
      isDesired: false,
      isLive: false,
      isRunning: false,
      movedFrom: new Set<string>(),
    };
    const found = all.get(key) ?? blank;
    all.set(key, found);
    return found;
  }
  for (const entry of inventory) {
    const { cluster, namespace } = entry;
    for (const { attribution, kind, name } of entry.desired.values()) {
      if (attribution === undefined) continue;
      const presence = at(attribution, entry);
      presence.isDesired = true;
      if (entry.current.has(name) && !failed.has(addressKey({ cluster, namespace, kind, name })))
        presence.isRunning = true;
    }
    for (const object of entry.current.values()) {
      const integration = attribute(object.metadata);
      if (integration === undefined || ownerOf(object.metadata) !== plan.integration) continue;
      const presence = at(integration, entry);
      presence.isLive = true;
      for (const from of (object.annotation(movedFromAnnotation) ?? "").split(",")) presence.movedFrom.add(from);
    }
  }
  // Where it could not be rendered it is not known whether it is desired.
  for (const { attribution, cluster, namespace } of plan.errors) {
    if (attribution === undefined || cluster === undefined || namespace === undefined) continue;
    const presence = at(attribution, { cluster, namespace });
    if (!presence.isLive) presence.isDesired = true;
  }
  return places;
}

/** Where an integration runs instead of here: namespaces that it is new in, or that say it came from here. */
function destinationsOf(integration: string | undefined, here: string, places: Places): Presence[] {
  const all = integration === undefined ? undefined : places.get(integration);
  if (!all || all.get(here)?.isDesired) return [];
  return [...all].flatMap(([key, presence]) => {
    const isNew = presence.isDesired && !presence.isRunning;
    return key !== here && presence.isDesired && (isNew || presence.movedFrom.has(here)) ? [presence] : [];
  });
}

/** Why an integration cannot be written in a namespace, if the plan knows already. */
function obstacleAt(
  { cluster, namespace }: Target,
  integration: string | undefined,
  plan: Plan,
  inventory: ResourceInventory,
): string | undefined {
  const error = plan.errors.find(
    (each) =>
      each.cluster === cluster &&
      (each.namespace ?? namespace) === namespace &&
      (each.attribution ?? integration) === integration,
  );
  if (error) return error.what;
  const wanted = new Set(
    [...inventory]
      .filter((entry) => entry.cluster === cluster && entry.namespace === namespace)
      .flatMap(({ desired }) => Array.from(desired.values()))
      .filter(({ attribution }) => attribution === integration)
      .map(({ kind, name }) => addressKey({ cluster, namespace, kind, name })),
  );
  const refusal = plan.refusals.find((each) => each.action !== "delete" && wanted.has(addressKey(each)));
  return refusal && `${refusal.kind} ${refusal.name}: ${refusal.reason}`;
}

/** What is written at a destination says where it comes from, for as long as something is left there. */
function markMoved(action: Action, here: string, places: Places): Action {
  const { attribution, body } = action;
  const all = attribution === undefined ? undefined : places.get(attribution);
  if (!all || !body) return action;
  const sources = [...all].filter(([key, { isLive, isDesired }]) => key !== here && isLive && !isDesired);
  const presence = all.get(here);
  const from = sources.map(([key]) => key).filter((key) => !presence?.isRunning || presence.movedFrom.has(key));
  if (from.length === 0) return action;
  const reason = action.action === "create" ? `moved from ${from.join(" and ")}` : action.reason;
  return { ...action, reason, body: withMark(body, from.toSorted().join(",")) };
}

function withMark(body: JsonObject, from: string): JsonObject {
  const metadata = isJsonObject(body["metadata"]) ? body["metadata"] : {};
  const annotations = isJsonObject(metadata["annotations"]) ? metadata["annotations"] : {};
  return { ...body, metadata: { ...metadata, annotations: { ...annotations, [movedFromAnnotation]: from } } };
}

/** What a namespace shares goes with the last of those that leave it. */
function keepShared(actions: readonly Action[], held: ReadonlySet<string>, refusals: PlanRefusal[]): Action[] {
  const leaving = Map.groupBy(
    actions.filter(({ action, waitsFor }) => action === "delete" && waitsFor),
    ({ cluster, namespace }) => targetKey(cluster, namespace),
  );
  return actions.flatMap((action) => {
    if (action.action !== "delete" || action.attribution !== undefined) return [action];
    const here = targetKey(action.cluster, action.namespace);
    if (held.has(here)) {
      refusals.push(refusalOf(action, "what stays in this namespace may need it", "fix the above, then run again"));
      return [];
    }
    const waits = (leaving.get(here) ?? []).flatMap(({ waitsFor = [] }) => waitsFor);
    const distinct = new Map(waits.map((each) => [JSON.stringify(each), each]));
    return [waitingFor(action, [...distinct.values()])];
  });
}

function addressKey({
  cluster,
  namespace,
  kind,
  name,
}: Target & { readonly kind: string; readonly name: string }): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}
