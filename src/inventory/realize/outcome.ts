import type { ActionKind, ObjectAddress } from "../plan/plan.ts";

/**
 * done: it is so now · planned: a dry run would do it · skipped: not done, and no fault of its own · refused: the object is not what it
 * was when the plan was made · failed: it was tried.
 */
export type OutcomeState = "done" | "planned" | "skipped" | "refused" | "failed";

/** A call that changes something, made or, in a dry run, not made. */
export interface ApiCall {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** JSON with secrets masked; only dry runs keep it. */
  readonly body?: string | undefined;
}

/** What became of one action of a plan. */
export interface ActionOutcome extends ObjectAddress {
  readonly action: ActionKind;
  readonly state: OutcomeState;
  readonly privileged: boolean;
  /** For people: why it was not done. */
  readonly reason?: string | undefined;
  readonly next?: string | undefined;
  readonly calls: readonly ApiCall[];
}

/** Whether a run with this outcome has failed. */
export function isFailure({ state }: Pick<ActionOutcome, "state">): boolean {
  return state === "failed" || state === "refused";
}

/** Ends the work on one object: something else has to be done first. */
export class NotDone extends Error {
  readonly state: "refused" | "failed";
  readonly next: string | undefined;

  constructor(state: NotDone["state"], reason: string, next?: string) {
    super(reason);
    this.state = state;
    this.next = next;
  }

  override get name(): string {
    return "NotDone";
  }
}
