import { InputError } from "#base";

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
