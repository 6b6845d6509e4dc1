import { describeError } from "#base";
import { compareResources } from "../compare/compare-resources.ts";
import { annotation } from "../resource/annotations.ts";
import { mapAt } from "../resource/exact.ts";
import type { OpenshiftResource } from "../resource/openshift-resource.ts";
import { isOwned, ownerOf } from "../resource/ownership.ts";
import { plainBody } from "../resource/plain-body.ts";
import type { InventoryEntry, ResourceInventory } from "../resource-inventory.ts";
import { guardDeletions } from "./guard-deletions.ts";
import { orderActions } from "./order-actions.ts";
import type { Action, ObjectAddress, Plan, PlanError, Refusal } from "./plan.ts";
import { planId } from "./plan-id.ts";
import type { PlanOptions } from "./plan-options.ts";
import { findTrouble, type Trouble } from "./trouble.ts";
import { showChanges } from "./show-changes.ts";

/** What one object comes to: something to do, something that is not done, or nothing. */
interface Decisions {
  readonly actions: Action[];
  readonly deletions: Action[];
  readonly refusals: Refusal[];
  readonly errors: PlanError[];
  unchanged: number;
}

/** Decides what has to be written so that the clusters are as they are wanted. */
export function planChanges(inventory: ResourceInventory, options: PlanOptions): Plan {
  const trouble = findTrouble(inventory.errors);
  const decided: Decisions = {
    actions: [],
    deletions: [],
    refusals: [],
    errors: inventory.errors.map(planError),
    unchanged: 0,
  };
  const entries = [...inventory];
  for (const entry of entries) decideEntry(entry, options, trouble, decided);
  const { allowed, refused } = guardDeletions(decided.deletions, entries, options);
  const plan = {
    version: 1 as const,
    integration: options.integration,
    integrationVersion: options.integrationVersion,
    actions: orderActions([...decided.actions, ...allowed], entries),
    refusals: orderActions([...decided.refusals, ...refused], entries),
    errors: decided.errors,
    unchanged: decided.unchanged,
  };
  return { ...plan, id: planId(plan) };
}

function decideEntry(entry: InventoryEntry, options: PlanOptions, trouble: Trouble, decided: Decisions): void {
  if (trouble.isUnread(entry)) return;
  for (const [name, wanted] of entry.desired) {
    const current = entry.current.get(name);
    const attribution = attributionOf(wanted, options);
    if (trouble.isUnmade({ cluster: entry.cluster, namespace: entry.namespace, attribution })) continue;
    try {
      if (current) decideBoth(entry, wanted, current, options, decided);
      else decided.actions.push(writing(entry, wanted, { action: "create", reason: "new" }));
    } catch (error) {
      decided.errors.push({
        cluster: entry.cluster,
        namespace: entry.namespace,
        attribution,
        what: describeError(error),
      });
    }
  }
  for (const [name, current] of entry.current) {
    if (!entry.desired.has(name)) decideUnwanted(entry, current, options, trouble, decided);
  }
}

function decideBoth(
  entry: InventoryEntry,
  wanted: OpenshiftResource,
  current: OpenshiftResource,
  options: PlanOptions,
  decided: Decisions,
): void {
  const owner = ownerOf(current);
  const { desired, reason, changes } = compareResources(wanted, current, options.fieldManager);
  const address = addressOf(entry, wanted);
  if (owner !== undefined && owner !== options.integration && !options.takeOverFrom?.includes(owner)) {
    decided.refusals.push({
      ...address,
      action: "update",
      reason: `belongs to ${owner}`,
      next: `remove it from ${owner}, or take it over from there`,
      isError: true,
    });
    return;
  }
  const foreign = foreignCaller(current, options);
  if (foreign !== undefined) {
    decided.refusals.push({
      ...address,
      action: "update",
      reason: `managed by another caller: ${foreign}`,
      next: `stop managing it there, or here`,
      isError: true,
    });
    return;
  }
  const isTakenOver = options.caller !== undefined && current.caller !== options.caller;
  if (reason === undefined && !isTakenOver) {
    decided.unchanged += 1;
    return;
  }
  const action = changes.length === 0 ? "adopt" : "update";
  const why = reason ?? (current.caller === undefined ? "has no caller yet" : `taken over from ${current.caller}`);
  decided.actions.push({
    ...writing(entry, desired, { action, reason: why, current }),
    diff: showChanges(wanted.kind, changes),
  });
}

/** Another caller that is still there. One that is gone, or that never said who it is, leaves its objects to whoever wants them. */
function foreignCaller(
  current: OpenshiftResource,
  { caller, allCallers, takeOverFrom }: PlanOptions,
): string | undefined {
  const found = current.caller;
  if (caller === undefined || found === undefined || found === caller) return undefined;
  if (takeOverFrom?.includes(found)) return undefined;
  return allCallers === undefined || allCallers.includes(found) ? found : undefined;
}

function decideUnwanted(
  entry: InventoryEntry,
  current: OpenshiftResource,
  options: PlanOptions,
  trouble: Trouble,
  decided: Decisions,
): void {
  const { integration, integrationVersion, caller, takeOverFrom = [], isVisible } = options;
  const attribution = attributionOf(current, options);
  const owner = ownerOf(current);
  const isOurs =
    isOwned(current, integration, integrationVersion) && (caller === undefined || current.caller === caller);
  const isTaken =
    owner !== undefined && owner !== integration && takeOverFrom.includes(owner) && !hasOwnerReferences(current);
  if (!isOurs && !isTaken) return;
  const place = { cluster: entry.cluster, namespace: entry.namespace, attribution };
  if (isVisible && (attribution === undefined || !isVisible(place))) return;
  const withheld = trouble.keepsFromDeleting(place);
  const reason = isOurs ? "no longer desired" : `taken over from ${owner}, and not desired`;
  if (withheld !== undefined) {
    decided.refusals.push({
      ...addressOf(entry, current),
      action: "delete",
      reason: withheld,
      next: "fix the error above, then run again",
      isError: false,
    });
    return;
  }
  decided.deletions.push({
    ...addressOf(entry, current),
    action: "delete",
    reason,
    diff: [],
    attribution,
    expected: expectedOf(current),
    privileged: entry.privileged.has(current.name) || undefined,
  });
}

interface Write {
  readonly action: "create" | "update" | "adopt";
  readonly reason: string;
  readonly current?: OpenshiftResource;
}

function writing(entry: InventoryEntry, desired: OpenshiftResource, { action, reason, current }: Write): Action {
  const address = addressOf(entry, desired);
  const where = desired.errorDetails ?? `${address.kind} ${address.name}`;
  return {
    ...address,
    action,
    reason,
    diff: [],
    body: plainBody(desired.stamped(), where),
    sha256: desired.sha256(),
    attribution: desired.attribution,
    expected: current && expectedOf(current),
    privileged: entry.privileged.has(desired.name) || undefined,
  };
}

function expectedOf(current: OpenshiftResource): Action["expected"] {
  const { uid, resourceVersion, generation } = mapAt(current.body, "metadata");
  if (typeof uid !== "string" || typeof resourceVersion !== "string") return undefined;
  return { uid, resourceVersion, generation: typeof generation === "number" ? generation : undefined };
}

function attributionOf(resource: OpenshiftResource, options: PlanOptions): string | undefined {
  return resource.attribution ?? options.attributionOf?.(resource) ?? resource.annotation(annotation.attribution);
}

function addressOf(
  { cluster, namespace }: InventoryEntry,
  { apiVersion, kind, name }: OpenshiftResource,
): ObjectAddress {
  return { cluster, namespace, apiVersion, kind, name };
}

function hasOwnerReferences(resource: OpenshiftResource): boolean {
  const references = mapAt(resource.body, "metadata")["ownerReferences"];
  return Array.isArray(references) && references.length > 0;
}

function planError({
  cluster,
  namespace,
  attribution,
  what,
  next,
}: PlanError | ResourceInventory["errors"][number]): PlanError {
  return { what, cluster, namespace, attribution, next };
}
