import { InputError } from "#base";

/** How a successful reconcile ended. */
export type Result = { readonly kind: "done" } | { readonly kind: "requeue"; readonly afterMs: number };

/** Nothing more to do until something changes. */
export const done: Result = { kind: "done" };

/** Reconcile again after this delay, or earlier if something changes. */
export function requeueAfter(afterMs: number): Result {
  return { kind: "requeue", afterMs };
}

/** A failure that a retry cannot fix: the key is not reconciled again until something changes. */
export class TerminalError extends Error {
  override get name(): string {
    return "TerminalError";
  }
}

/** Whether a retry is pointless until a user changes something. Every `InputError` is terminal. */
export function isTerminal(error: unknown): boolean {
  return error instanceof InputError || error instanceof TerminalError;
}
