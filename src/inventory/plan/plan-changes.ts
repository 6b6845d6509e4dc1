import { compareText, describeError } from "#base";
import { findImmutable } from "../compare/find-immutable.ts";
import { annotation, claimToDelete, foreignCaller, foreignOwner, ownerOf } from "../object/attribution.ts";
import { mapAt, plainBody } from "../object/exact.ts";
import type { ManagedObject } from "../object/managed-object.ts";
import { showChanges } from "./describe-plan.ts";
import { type CompareInEntry, entryComparer } from "./entry-comparer.ts";
import { guardDeletions } from "./guard-deletions.ts";
import { holdBack } from "./hold-back.ts";
import {
  type Action,
  type ActionKind,
  type AttributedTarget,
  type ObjectAddress,
  type Plan,
  type PlanError,
  planId,
  type PlanOptions,
  type PlanRefusal,
} from "./plan.ts";
import type { InventoryEntry, InventoryError, ResourceInventory } from "../resource-inventory.ts";

/** What one object comes to: something to do, something that is not done, or nothing. */
interface Decisions {
  readonly actions: Action[];
  readonly deletions: Action[];
  readonly replacements: Action[];
  readonly refusals: PlanRefusal[];
  readonly errors: PlanError[];
  unchanged: number;
  ignored: number;
}

/** Decides what to write so that the live objects become the desired ones, and in which order. */
export function planChanges(inventory: ResourceInventory, options: PlanOptions): Plan {
  const trouble = findTrouble(inventory.errors);
  const decided: Decisions = {
    actions: [],
    deletions: [],
    replacements: [],
    refusals: [],
    errors: inventory.errors.map(planError),
    unchanged: 0,
    ignored: 0,
  };
  const entries = [...inventory];
  const compare = entryComparer(options);
  for (const entry of entries) decideEntry(entry, { ...options, compare }, trouble, decided);
  const writes = holdBack(decided.actions, options.holdBack);
  const deletions = holdBack(decided.deletions, options.holdBack);
  const replacements = holdBack(decided.replacements, options.holdBack);
  const losses = { deletions: deletions.actions, replacements: replacements.actions };
  const { allowed, refused } = guardDeletions(losses, entries, options);
  const held = [writes, replacements, deletions].flatMap(({ refusals }) => refusals);
  const plan = {
    version: 1 as const,
    integration: options.integration,
    integrationVersion: options.integrationVersion,
    actions: orderActions([...writes.actions, ...allowed], entries),
    refusals: orderActions([...decided.refusals, ...held, ...refused], entries),
    errors: decided.errors,
    unchanged: decided.unchanged,
    ...(decided.ignored > 0 ? { ignored: decided.ignored } : {}),
  };
  return { ...plan, id: planId(plan) };
}

interface Deciding extends PlanOptions {
  readonly compare: CompareInEntry;
}

function decideEntry(entry: InventoryEntry, options: Deciding, trouble: Trouble, decided: Decisions): void {
  if (trouble.isUnread(entry)) return;
  for (const [name, wanted] of entry.desired) {
    const current = entry.current.get(name);
    const attribution = attributionOf(wanted, options);
    const unmade = trouble.keepsFromChanging({ cluster: entry.cluster, namespace: entry.namespace, attribution });
    try {
      if (unmade !== undefined) {
        decideUnmade(entry, wanted, current, unmade, options, decided);
        continue;
      }
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

/** What was computed without something that failed: it counts if it is there as it is, and is not changed otherwise. */
function decideUnmade(
  entry: InventoryEntry,
  wanted: ManagedObject,
  current: ManagedObject | undefined,
  reason: string,
  options: Deciding,
  decided: Decisions,
): void {
  if (current && options.compare(entry, wanted, current).reason === undefined) {
    decided.unchanged += 1;
    return;
  }
  decided.refusals.push({
    ...addressOf(entry, wanted),
    action: current ? "update" : "create",
    reason,
    next: "fix the error above, then run again",
    isError: false,
  });
}

function decideBoth(
  entry: InventoryEntry,
  wanted: ManagedObject,
  current: ManagedObject,
  options: Deciding,
  decided: Decisions,
): void {
  const owner = foreignOwner(current.metadata, options);
  const { desired, reason, changes, hasIgnored, unread } = options.compare(entry, wanted, current);
  const address = addressOf(entry, wanted);
  if (owner !== undefined) {
    decided.refusals.push({
      ...address,
      action: "update",
      reason: `belongs to ${owner}`,
      next: `remove it from ${owner}, or take it over from there`,
      isError: true,
    });
    return;
  }
  const foreign = foreignCaller(current.metadata, options);
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
  if (hasIgnored) decided.ignored += 1;
  if (unread) {
    const { what, next } = unread;
    const left = `spec.replicas is left as it is, because autoscalers cannot be read: ${what}`;
    decided.refusals.push({ ...address, action: "update", reason: left, next, isError: true });
  }
  const isTakenOver = options.caller !== undefined && current.caller !== options.caller;
  if (reason === undefined && !isTakenOver) {
    decided.unchanged += 1;
    return;
  }
  const why = reason ?? (current.caller === undefined ? "has no caller yet" : `taken over from ${current.caller}`);
  const immutable = findImmutable(wanted.kind, changes);
  const write: Write =
    immutable === undefined
      ? { action: changes.length === 0 ? "adopt" : "update", reason: why, current }
      : { action: "replace", reason: `${why}; replaced, because ${immutable} cannot be changed`, current };
  const actions = immutable === undefined ? decided.actions : decided.replacements;
  actions.push({
    ...writing(entry, desired, write),
    diff: showChanges(wanted.kind, changes, { current: current.body, desired: desired.body }),
  });
}

function decideUnwanted(
  entry: InventoryEntry,
  current: ManagedObject,
  options: PlanOptions,
  trouble: Trouble,
  decided: Decisions,
): void {
  const claim = claimToDelete(current.metadata, options);
  if (claim === undefined) return;
  const { isVisible } = options;
  const attribution = attributionOf(current, options);
  const place = { cluster: entry.cluster, namespace: entry.namespace, attribution };
  if (isVisible && (attribution === undefined || !isVisible(place))) return;
  const withheld = trouble.keepsFromDeleting(place);
  const reason =
    claim === "own" ? "no longer desired" : `taken over from ${ownerOf(current.metadata)}, and not desired`;
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
  readonly action: "create" | "update" | "replace" | "adopt";
  readonly reason: string;
  readonly current?: ManagedObject;
}

function writing(entry: InventoryEntry, desired: ManagedObject, { action, reason, current }: Write): Action {
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

function expectedOf(current: ManagedObject): Action["expected"] {
  const { uid, resourceVersion, generation } = mapAt(current.body, "metadata");
  if (typeof uid !== "string" || typeof resourceVersion !== "string") return undefined;
  return { uid, resourceVersion, generation: typeof generation === "number" ? generation : undefined };
}

function attributionOf(resource: ManagedObject, options: PlanOptions): string | undefined {
  return (
    resource.attribution ?? options.attributionOf?.(resource.metadata) ?? resource.annotation(annotation.attribution)
  );
}

function addressOf({ cluster, namespace }: InventoryEntry, { apiVersion, kind, name }: ManagedObject): ObjectAddress {
  return { cluster, namespace, apiVersion, kind, name };
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

/** What errors keep a plan from doing. They reach as far as they say, and no farther. */
interface Trouble {
  /** What is there is not known: nothing is done. */
  isUnread(entry: Pick<InventoryEntry, "cluster" | "namespace">): boolean;
  /** Why an object is not changed: its desired state is not known for sure. */
  keepsFromChanging(place: AttributedTarget): string | undefined;
  /** Why an object that seems to be unwanted stays. */
  keepsFromDeleting(place: AttributedTarget): string | undefined;
}

function findTrouble(errors: readonly InventoryError[]): Trouble {
  const unread = errors.filter(({ stage }) => stage !== "desired");
  const unmade = errors.filter(({ stage }) => stage === "desired");
  return {
    isUnread: ({ cluster, namespace }) =>
      unread.some((error) => error.cluster === cluster && (error.namespace ?? namespace) === namespace),
    keepsFromChanging(place) {
      const made = unmade.find((error) => error.attribution !== undefined && concerns(error, place));
      return made && `an error hides what it should be: ${made.what}`;
    },
    keepsFromDeleting(place) {
      const made = unmade.find((error) => concerns(error, place));
      if (made) return `an error hides whether it is still desired: ${made.what}`;
      const read = unread.find((error) => error.cluster === place.cluster || error.cluster === undefined);
      return read && `something on this cluster could not be read: ${read.what}`;
    },
  };
}

/** Of an object that does not say what it belongs to, every error of its namespace could be meant. */
function concerns(error: InventoryError, { cluster, namespace, attribution }: AttributedTarget): boolean {
  if (error.cluster !== undefined && error.cluster !== cluster) return false;
  if (error.namespace !== undefined && error.namespace !== namespace) return false;
  if (attribution === undefined) return true;
  return error.attribution === undefined ? !error.spares?.has(attribution) : error.attribution === attribution;
}

/** What others need comes first; then the kinds of workloads; what is not named here comes last, by name. */
const order = [
  "Namespace",
  "CustomResourceDefinition",
  "PriorityClass",
  "StorageClass",
  "PersistentVolume",
  "ResourceQuota",
  "LimitRange",
  "NetworkPolicy",
  "ServiceAccount",
  "ClusterRole",
  "ClusterRoleBinding",
  "Role",
  "RoleBinding",
  "Secret",
  "ConfigMap",
  "PersistentVolumeClaim",
  "PodDisruptionBudget",
  "Service",
  "CronJob",
  "Deployment",
  "StatefulSet",
];
const rankOfKind: ReadonlyMap<string, number> = new Map(order.map((kind, index) => [kind, index]));

/** Less than zero if objects of the one kind are applied before those of the other. Deletions go the other way round. */
function compareKinds(one: string, other: string): number {
  const difference = (rankOfKind.get(one) ?? order.length) - (rankOfKind.get(other) ?? order.length);
  return difference === 0 ? Number(one > other) - Number(one < other) : difference;
}

const writes: Readonly<Record<ActionKind, number>> = { adopt: 0, create: 1, update: 2, replace: 3, delete: 4 };

/**
 * Clusters and namespaces as they were first seen; in each, what is written before what is deleted; then by kind, what others need
 * first (and deleted last), and by name.
 */
function orderActions<T extends ObjectAddress & { readonly action: ActionKind }>(
  actions: readonly T[],
  entries: readonly InventoryEntry[],
): T[] {
  const clusters = ranks(entries.map(({ cluster }) => cluster));
  const namespaces = ranks(entries.map(({ cluster, namespace }) => `${cluster}/${namespace}`));
  return actions.toSorted((one, other) => {
    const place =
      rank(clusters, one.cluster) - rank(clusters, other.cluster) ||
      rank(namespaces, `${one.cluster}/${one.namespace}`) - rank(namespaces, `${other.cluster}/${other.namespace}`);
    if (place !== 0) return place;
    const isDeletion = one.action === "delete";
    if (isDeletion !== (other.action === "delete")) return isDeletion ? 1 : -1;
    const kinds = compareKinds(one.kind, other.kind);
    if (kinds !== 0) return isDeletion ? -kinds : kinds;
    return (
      writes[one.action] - writes[other.action] ||
      compareText(one.name, other.name) ||
      compareText(one.apiVersion, other.apiVersion)
    );
  });
}

function ranks(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(names)].map((name, index) => [name, index]));
}

function rank(of: ReadonlyMap<string, number>, name: string): number {
  return of.get(name) ?? of.size;
}
