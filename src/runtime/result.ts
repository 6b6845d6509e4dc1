import { InputError } from "#base";

/** How a reconcile ended that did not fail. */
export type Result = { readonly kind: "done" } | { readonly kind: "requeue"; readonly afterMs: number };

/** Nothing more to do until something changes. */
export const done: Result = { kind: "done" };

/** Look again then, or earlier if something changes. */
export function requeueAfter(afterMs: number): Result {
  return { kind: "requeue", afterMs };
}

/** Marks a failure that trying again cannot mend: the key rests until something changes. */
export class TerminalError extends Error {
  override get name(): string {
    return "TerminalError";
  }
}

/** Whether somebody must change something first. An `InputError` says so by itself. */
export function isTerminal(error: unknown): boolean {
  return error instanceof InputError || error instanceof TerminalError;
}
