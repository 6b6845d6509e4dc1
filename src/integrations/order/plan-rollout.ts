import { InputError, nearestName, parseDuration } from "#base";
import type { Action, Plan, PlanRefusal, Prerequisite, ResourceInventory } from "#inventory";
import { isChange, refusalOf, revisePlan, waitingFor } from "./revise-plan.ts";

/** One cluster gets every change first; the others follow when it has been healthy for a while. */
export interface Rollout {
  readonly canary: string;
  readonly soakMs: number;
}

const form = "canary=NAME,soak=5m";

/** Reads `canary=NAME,soak=5m`; without `soak`, healthy is enough. */
export function parseRollout(text: string, where = "--rollout"): Rollout {
  const parts = new Map<string, string>();
  for (const part of text.split(",")) {
    const [key = "", ...value] = part.split("=");
    if (!["canary", "soak"].includes(key) || parts.has(key) || value.length !== 1) throw invalidRollout(text, where);
    parts.set(key, value.join());
  }
  const canary = parts.get("canary");
  const soakMs = parseDuration(parts.get("soak") ?? "0s");
  if (!canary || soakMs === undefined) throw invalidRollout(text, where);
  return { canary, soakMs };
}

function invalidRollout(text: string, where: string): InputError {
  return new InputError(`expected ${form}, got ${JSON.stringify(text)}`, { where });
}

/** A canary that does not exist would let every change through, or none. */
export function requireCanary({ canary }: Rollout, clusters: ReadonlySet<string>): void {
  if (clusters.has(canary)) return;
  const near = nearestName(canary, clusters);
  throw new InputError(`no integration runs on the canary cluster ${canary}`, {
    where: "--rollout",
    next: near === undefined ? `clusters of the data: ${[...clusters].join(", ")}` : `did you mean ${near}?`,
  });
}

/**
 * Makes all other clusters wait for the canary: until each integration that the plan changes is as desired there, and has been
 * healthy for the time of the soak. Nothing of this is remembered: since when it is healthy is read from the live objects.
 */
export function planRollout(plan: Plan, { canary, soakMs }: Rollout, inventory: ResourceInventory): Plan {
  const changed = new Set(plan.actions.filter(isChange).map(({ attribution }) => attribution));
  const unread = plan.errors.find(({ cluster, attribution }) => cluster === canary && attribution === undefined);
  const waits = canaryTargets(canary, soakMs, inventory).filter(({ attribution }) => changed.has(attribution));
  const stuck = stuckOnCanary(plan, canary, inventory);
  const refusals: PlanRefusal[] = [];
  const actions = plan.actions.flatMap((action): Action[] => {
    if (action.cluster === canary || action.action === "adopt") return [action];
    const why = unread?.what ?? stuck.get(action.attribution);
    if (why === undefined) return [waitingFor(action, waits)];
    const reason = `the canary cluster ${canary} does not have it yet: ${why}`;
    refusals.push(refusalOf(action, reason, "fix that, then run again"));
    return [];
  });
  return revisePlan(plan, actions, refusals);
}

/** Each integration, and what is shared, in each namespace of the canary. */
function canaryTargets(canary: string, soakMs: number, inventory: ResourceInventory): Prerequisite[] {
  const targets = new Map<string, Prerequisite>();
  for (const { cluster, namespace, desired } of inventory) {
    if (cluster !== canary) continue;
    for (const { attribution } of desired.values()) {
      const target = { cluster, namespace, attribution, soakMs };
      targets.set(JSON.stringify(target), target);
    }
  }
  return [...targets.values()];
}

/** Integrations that the plan cannot change on the canary, each with the reason. */
function stuckOnCanary(
  plan: Plan,
  canary: string,
  inventory: ResourceInventory,
): ReadonlyMap<string | undefined, string> {
  const stuck = new Map<string | undefined, string>();
  for (const { attribution, cluster, what } of plan.errors) {
    if (attribution !== undefined && (cluster ?? canary) === canary) stuck.set(attribution, what);
  }
  const refused = plan.refusals.filter(({ cluster, action }) => cluster === canary && action !== "delete");
  for (const { namespace, kind, name, reason } of refused) {
    for (const entry of inventory) {
      if (entry.cluster !== canary || entry.namespace !== namespace) continue;
      const wanted = entry.desired.get(name);
      if (wanted?.kind === kind) stuck.set(wanted.attribution, `${kind} ${name}: ${reason}`);
    }
  }
  return stuck;
}
