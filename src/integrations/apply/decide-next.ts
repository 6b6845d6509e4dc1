import { formatDuration } from "#base";
import { type Action, type ActionOutcome, isFailure, type Prerequisite } from "#inventory";
import { targetKey } from "../survey/survey-namespaces.ts";
import { prerequisiteKey, type TargetHealth } from "./target-health.ts";

/** How far a plan has been carried out, and what is known of the integrations that its actions wait for. */
export interface ApplyState {
  readonly actions: readonly Action[];
  readonly outcomes: ReadonlyMap<Action, Pick<ActionOutcome, "state" | "reason">>;
  /** By `prerequisiteKey`; what is missing was not read yet. */
  readonly health: ReadonlyMap<string, TargetHealth>;
  /** Targets that were healthy before, in this run. */
  readonly wasHealthy: ReadonlySet<string>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** From when on the time to become healthy counts, if what is waited for changed earlier; else from that change. */
  readonly startedAt: number | undefined;
  readonly healthyWithinMs: number;
  /** In a dry run nothing becomes healthy, and nothing waits for that. */
  readonly isDryRun: boolean;
}

/** Why an action is not carried out now. */
export interface PendingWait {
  readonly target: Prerequisite;
  readonly why: string;
  /** How long at least; undefined if that is not known. */
  readonly leftMs?: number | undefined;
}

/** Why an action is not carried out in this run. */
export interface Hold {
  readonly target: Prerequisite;
  readonly why: string;
  readonly next: string;
}

export interface NextActions {
  readonly ready: readonly Action[];
  readonly waiting: ReadonlyMap<Action, PendingWait>;
  readonly held: ReadonlyMap<Action, Hold>;
}

type Verdict = "met" | PendingWait | Hold;

/** Decides what can be carried out now: actions whose prerequisites are as desired, healthy, and have been so long enough. */
export function decideNext(state: ApplyState): NextActions {
  const verdicts = new Map<string, Verdict>();
  const judge = (target: Prerequisite): Verdict => {
    const key = JSON.stringify([prerequisiteKey(target), target.soakMs]);
    const verdict = verdicts.get(key) ?? judgePrerequisite(target, state);
    verdicts.set(key, verdict);
    return verdict;
  };
  const ready: Action[] = [];
  const waiting = new Map<Action, PendingWait>();
  const held = new Map<Action, Hold>();
  for (const action of state.actions) {
    if (state.outcomes.has(action)) continue;
    const open = (action.waitsFor ?? []).map(judge).filter((verdict) => verdict !== "met");
    const [first] = open;
    const hold = open.find((verdict) => "next" in verdict);
    if (hold) held.set(action, hold);
    else if (first) waiting.set(action, first);
    else ready.push(action);
  }
  return { ready, waiting, held };
}

function judgePrerequisite(target: Prerequisite, state: ApplyState): Verdict {
  const { cluster, namespace, attribution } = target;
  const writes = state.actions.filter(
    (action) =>
      action.action !== "delete" &&
      action.cluster === cluster &&
      action.namespace === namespace &&
      action.attribution === attribution,
  );
  for (const write of writes) {
    const outcome = state.outcomes.get(write);
    if (!outcome) return { target, why: `${write.kind} ${write.name} is not applied yet` };
    if (outcome.state === "done" || outcome.state === "planned") continue;
    const what = isFailure(outcome) ? "failed" : "was not done";
    const why = `${write.action} of ${write.kind} ${write.name} ${what}: ${outcome.reason ?? "no reason is known"}`;
    return { target, why, next: "fix that, then run again" };
  }
  return state.isDryRun ? "met" : judgeHealth(target, state);
}

function judgeHealth(target: Prerequisite, state: ApplyState): Verdict {
  const health = state.health.get(prerequisiteKey(target));
  if (!health) return { target, why: "its health is not known yet" };
  const next = "see what its pods say, and fix it; then run again";
  if (health.is === "failed") return { target, why: health.why, next };
  if (health.is === "pending") return judgePending(target, health, state);
  if (!target.soakMs || health.since === undefined) return "met";
  const leftMs = health.since + target.soakMs - state.now;
  if (leftMs <= 0) return "met";
  const [soak, left] = [target.soakMs, leftMs].map(formatDuration);
  return { target, why: `healthy, and to stay so for ${soak}; ${left} are left`, leftMs };
}

function judgePending(
  target: Prerequisite,
  { missing, changedAt }: Extract<TargetHealth, { readonly is: "pending" }>,
  { startedAt, now, healthyWithinMs, wasHealthy }: ApplyState,
): Verdict {
  const next = "see what its pods say, and fix it; then run again";
  if (target.soakMs !== undefined && wasHealthy.has(prerequisiteKey(target))) {
    return { target, why: `it turned unhealthy: ${missing}`, next };
  }
  const since = Math.max(startedAt ?? -Infinity, changedAt ?? -Infinity);
  if (since === -Infinity || now - since < healthyWithinMs) return { target, why: missing };
  return { target, why: `${missing}, after ${formatDuration(now - since)}`, next };
}

/** Who is waited for, in one word or two. */
export function describeTarget({ attribution, cluster, namespace }: Prerequisite): string {
  return `${attribution ?? "what is shared"} in ${targetKey(cluster, namespace)}`;
}
