import { systemClock } from "#base";
import {
  type Action,
  type ActionOutcome,
  isFailure,
  ownerOf,
  type RealizeOptions,
  realizePlan,
  succeeded,
} from "#inventory";
import { isOwn, type OwnWorkload } from "../plan/guard-self.ts";
import type { PlannedRun } from "../plan/plan-desired.ts";
import {
  forgetNamespaces,
  type NamespaceMemory,
  rememberNamespaces,
  type RememberedNamespace,
} from "../survey/remembered-namespaces.ts";
import { targetKey } from "../survey/survey-namespaces.ts";
import { decideNext, describeTarget, type Hold, type NextActions, type PendingWait } from "./decide-next.ts";
import { prerequisiteKey, readHealth, type TargetHealth } from "./target-health.ts";

export interface ApplyPlanOptions extends RealizeOptions {
  readonly memory?: NamespaceMemory | undefined;
  readonly ownWorkload?: OwnWorkload | undefined;
  /** How long an integration that others wait for may take to become healthy; default 10 min. */
  readonly healthyWithinMs?: number | undefined;
  /** False: what has to wait is left to a later run, which finds it again. Default true. */
  readonly isPatient?: boolean | undefined;
  /** Called when what is waited for changes. */
  readonly onWait?: ((waiting: readonly PendingWait[]) => void) | undefined;
}

export interface AppliedPlan {
  /** One for each action of the plan, in its order. */
  readonly outcomes: readonly ActionOutcome[];
  readonly isSuccess: boolean;
  /** What was left to a later run. */
  readonly waiting: readonly PendingWait[];
}

type Planned = Pick<PlannedRun, "plan" | "clusters" | "namespaces" | "inventory" | "isNarrowed">;

const defaultHealthyWithinMs = 600_000;
const pauses = { shortestMs: 250, longestMs: 5_000 };

/**
 * Carries out what was planned, in the order that its actions ask for, and the manager itself last: its update may end us.
 * Namespaces are remembered before anything is written there, and forgotten when nothing is left: killed in between, the next
 * run knows where to look.
 */
export async function applyPlan(
  planned: Planned,
  options: ApplyPlanOptions,
  signal: AbortSignal,
): Promise<AppliedPlan> {
  const { plan, namespaces } = planned;
  const memory = options.dryRun ? undefined : options.memory;
  const managed = namespaces.filter(({ isOrphan }) => !isOrphan).map((each) => each.memory);
  if (managed.length > 0) {
    await memory?.update((known) => rememberNamespaces(known, managed, !planned.isNarrowed), signal);
  }
  const applying = new Applying(planned, options);
  await applying.run(signal);
  const outcomes = plan.actions.flatMap((action) => applying.outcomes.get(action) ?? []);
  const cleaned = cleanedNamespaces(planned, outcomes);
  // After an abort the next run forgets them.
  if (cleaned.length > 0 && !signal.aborted) await memory?.update((known) => forgetNamespaces(known, cleaned), signal);
  return { outcomes, isSuccess: succeeded(plan, outcomes) && !applying.hasHeld, waiting: applying.waiting };
}

/** One plan on its way. */
class Applying {
  readonly outcomes = new Map<Action, ActionOutcome>();
  waiting: readonly PendingWait[] = [];
  hasHeld = false;
  readonly #planned: Planned;
  readonly #options: ApplyPlanOptions;
  readonly #wasHealthy = new Set<string>();
  #health: ReadonlyMap<string, TargetHealth> = new Map();
  #told = "";

  constructor(planned: Planned, options: ApplyPlanOptions) {
    this.#planned = planned;
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { isPatient = true, clock = systemClock, ownWorkload } = this.#options;
    const startedAt = isPatient ? clock.now() : undefined;
    let pauseMs = 0;
    for (;;) {
      const { ready, waiting, held } = this.#decide(startedAt);
      for (const [action, hold] of held) this.#leave(action, describeHold(action, hold), hold.next);
      this.hasHeld ||= held.size > 0;
      const others = ready.filter((action) => !isOwn(action, ownWorkload));
      if (others.length > 0) {
        await this.#realize(others, signal);
        this.#health = new Map();
        pauseMs = 0;
      } else if (waiting.size > 0 && (signal.aborted || (!isPatient && this.#health.size > 0))) {
        this.#leaveWaiting(waiting, signal);
      } else if (waiting.size > 0) {
        if (this.#health.size > 0) {
          this.#tell(waiting);
          pauseMs = nextPause(pauseMs, waiting);
          // An abort ends the pause; what waits is then skipped.
          await clock.sleep(pauseMs, signal).catch(() => {});
        }
        await this.#readHealth(waiting, signal);
      } else if (ready.length > 0) await this.#realize(ready, signal);
      else return;
    }
  }

  #decide(startedAt: number | undefined): NextActions {
    const { dryRun = false, healthyWithinMs = defaultHealthyWithinMs, clock = systemClock } = this.#options;
    return decideNext({
      actions: this.#planned.plan.actions,
      outcomes: this.outcomes,
      health: this.#health,
      wasHealthy: this.#wasHealthy,
      now: clock.now(),
      startedAt,
      healthyWithinMs,
      isDryRun: dryRun,
    });
  }

  async #realize(actions: readonly Action[], signal: AbortSignal): Promise<void> {
    const { plan, clusters } = this.#planned;
    const failedBefore = [...this.outcomes].flatMap(([action, outcome]) => (isFailure(outcome) ? [action] : []));
    const done = await realizePlan({ ...plan, actions }, clusters, { ...this.#options, failedBefore }, signal);
    for (const [index, outcome] of done.entries()) {
      const action = actions[index];
      if (action) this.outcomes.set(action, outcome);
    }
  }

  async #readHealth(waiting: NextActions["waiting"], signal: AbortSignal): Promise<void> {
    const targets = [...waiting.keys()].flatMap(({ waitsFor = [] }) => waitsFor);
    this.#health = await readHealth(targets, this.#planned, signal).catch((error: unknown) => {
      if (signal.aborted) return this.#health;
      throw error;
    });
    for (const [key, { is }] of this.#health) if (is === "healthy") this.#wasHealthy.add(key);
  }

  #leaveWaiting(waiting: NextActions["waiting"], signal: AbortSignal): void {
    for (const [action, { target, why }] of waiting) {
      const reason = signal.aborted ? "the run was stopped before" : `waits for ${describeTarget(target)}: ${why}`;
      this.#leave(action, reason);
    }
    if (!signal.aborted) this.waiting = distinctWaits(waiting);
  }

  #leave(action: Action, reason: string, next?: string): void {
    const { cluster, namespace, apiVersion, kind, name, privileged = false } = action;
    const address = { action: action.action, cluster, namespace, apiVersion, kind, name, privileged };
    this.outcomes.set(action, { ...address, state: "skipped", reason, next, calls: [] });
  }

  #tell(waiting: NextActions["waiting"]): void {
    const waits = distinctWaits(waiting);
    const text = JSON.stringify(waits.map(({ target, why, leftMs }) => [target, leftMs === undefined ? why : "soak"]));
    if (text !== this.#told) this.#options.onWait?.(waits);
    this.#told = text;
  }
}

/** Longer and longer, but not longer than a soak takes. */
function nextPause(pauseMs: number, waiting: NextActions["waiting"]): number {
  const leftMs = Math.min(...[...waiting.values()].map((wait) => wait.leftMs ?? Infinity));
  return Math.min(Math.max(pauseMs * 2, pauses.shortestMs), pauses.longestMs, leftMs);
}

function describeHold({ action }: Action, { target, why }: Hold): string {
  const what = action === "delete" ? "kept" : "not changed";
  return `${what}, because it waits for ${describeTarget(target)}: ${why}`;
}

function distinctWaits(waiting: NextActions["waiting"]): PendingWait[] {
  return [...new Map([...waiting.values()].map((wait) => [prerequisiteKey(wait.target), wait])).values()];
}

/** Orphaned namespaces in which nothing of ours is left. A narrowed run may have seen only a part. */
function cleanedNamespaces(
  { plan, namespaces, inventory }: Pick<PlannedRun, "plan" | "namespaces" | "inventory">,
  outcomes: readonly ActionOutcome[],
): RememberedNamespace[] {
  const deleted = outcomes.filter(({ action, state }) => action === "delete" && state === "done");
  const gone = new Set(deleted.map((each) => objectKey(each.cluster, each.namespace, each)));
  const left = new Set<string>();
  for (const { cluster, namespace, current } of inventory) {
    const isLeft = [...current.values()].some(
      (object) => ownerOf(object.metadata) === plan.integration && !gone.has(objectKey(cluster, namespace, object)),
    );
    if (isLeft) left.add(targetKey(cluster, namespace));
  }
  const isDoubtful = (cluster: string, namespace: string): boolean =>
    plan.errors.some((error) => (error.cluster ?? cluster) === cluster && (error.namespace ?? namespace) === namespace);
  return namespaces
    .filter(({ isOrphan, cluster: { name }, namespace }) => {
      return isOrphan && !left.has(targetKey(name, namespace)) && !isDoubtful(name, namespace);
    })
    .map(({ memory }) => memory);
}

function objectKey(cluster: string, namespace: string, { kind, name }: Pick<ActionOutcome, "kind" | "name">): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}
