import { randomUUID } from "node:crypto";
import { type Clock, describeError, InputError, type Logger } from "#base";
import { applyPlan, describeTarget } from "#integrations";
import { type ActionOutcome, isFailure, type Plan } from "#inventory";
import type { ConsoleData } from "./console-data.ts";
import { type OwnPlan, planAs } from "./own-plan.ts";
import type { Person } from "./person.ts";
import type { ApplyAnswer, ApplyOutcome, ApplyRequest } from "./plan-api.ts";
import { fingerprintOf } from "./plan-answer.ts";
import { Refused, withoutRole } from "./refused.ts";

const mostOutcomes = 500;

export interface ApplyRunOptions {
  readonly person: Person;
  readonly user: string;
  readonly data: ConsoleData;
  readonly request: ApplyRequest;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * One application of a plan by one person. It plans again, and goes on only if that gives the plan that was read; it outlives the
 * request that started it, and ends with the session.
 */
export class ApplyRun {
  readonly id = randomUUID();
  readonly ended: Promise<void>;
  readonly #options: ApplyRunOptions;
  #state: ApplyAnswer["state"] = "checking";
  #plan: Plan | undefined;
  #outcomes: ActionOutcome[] = [];
  #waiting: readonly string[] = [];
  #warnings: string[] = [];
  #failure: { readonly error: string; readonly next?: string | undefined } | undefined;

  constructor(options: ApplyRunOptions, signal: AbortSignal) {
    this.#options = options;
    this.ended = this.#run(signal).catch((error: unknown) => this.#fail(error));
  }

  get isOver(): boolean {
    return this.#state !== "checking" && this.#state !== "applying";
  }

  answer(): ApplyAnswer {
    const done = this.#outcomes.filter(({ state }) => state === "done");
    const others = this.#outcomes.filter(({ state }) => state !== "done");
    const { error, next } = this.#failure ?? {};
    const warnings = this.#warnings.length === 0 ? "" : `; ${this.#warnings.join("; ")}`;
    return {
      id: this.id,
      state: this.#state,
      by: this.#options.user,
      ...(this.#plan ? { plan: this.#plan.id } : {}),
      total: this.#plan?.actions.length ?? 0,
      finished: this.#outcomes.length,
      done: done.length,
      waiting: [...this.#waiting],
      outcomes: [...others, ...done.toReversed()].slice(0, mostOutcomes).map(showOutcome),
      ...(this.isOver && this.#plan && !this.#failure
        ? { summary: `${done.length} of ${this.#plan.actions.length} changes are done${warnings}` }
        : {}),
      ...(error === undefined ? {} : { error }),
      ...(next === undefined ? {} : { next }),
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { person, data, request } = this.#options;
    await using own = await planAs(person, data, request, (what) => this.#warnings.push(what), signal);
    const { plan } = own.planned;
    if (own.whyNot !== undefined) throw new Refused(403, own.whyNot);
    if (fingerprintOf(plan) !== request.fingerprint) {
      this.#state = "changed";
      return;
    }
    await own.reports?.open();
    this.#plan = plan;
    this.#state = "applying";
    await this.#apply(own, plan, signal);
  }

  async #apply({ planned, memory, committedAt, data: identity, reports }: OwnPlan, plan: Plan, signal: AbortSignal) {
    const { user, data, clock, log } = this.#options;
    const begun = clock.monotonic();
    log.info("console: a person applies a plan", { user, plan: plan.id, changes: plan.actions.length });
    const applied = await applyPlan(
      planned,
      {
        memory,
        committedAt,
        clock,
        // A line for each write, with the object, the plan and the person.
        log: log.child({ user }),
        healthyWithinMs: data.healthyWithinMs,
        onOutcome: (outcome) => void this.#outcomes.push(outcome),
        onWait: (waiting) => {
          this.#waiting = waiting.map(({ target, why }) => `${describeTarget(target)}: ${why}`);
        },
      },
      signal,
    );
    this.#outcomes = [...applied.outcomes];
    this.#waiting = [];
    const seconds = (clock.monotonic() - begun) / 1_000;
    const { inventory } = planned;
    await reports?.report(
      { why: "apply", ...applied, isDryRun: false, seconds, plan, inventory, data: identity },
      signal,
    );
    await reports?.close();
    const isSuccess = !signal.aborted && applied.outcomes.every((outcome) => !isFailure(outcome));
    const isWhole = applied.outcomes.every(({ state }) => state === "done");
    this.#state = isSuccess && isWhole ? "done" : "failed";
    log.info("console: a plan is applied", { user, plan: plan.id, state: this.#state });
  }

  #fail(error: unknown): void {
    const { log, user } = this.#options;
    this.#state = "failed";
    this.#waiting = [];
    const next = error instanceof InputError || error instanceof Refused ? error.next : undefined;
    this.#failure = { error: withoutRole(describeError(error)), next };
    log.warn("console: a plan could not be applied", { user, plan: this.#plan?.id, error });
  }
}

function showOutcome({ cluster, namespace, kind, name, action, state, reason, next }: ActionOutcome): ApplyOutcome {
  return {
    cluster,
    namespace,
    kind,
    name,
    action,
    state,
    ...(reason === undefined ? {} : { reason }),
    ...(next === undefined ? {} : { next }),
  };
}
