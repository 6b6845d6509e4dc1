import { constants } from "node:os";

/** A signal asked the process to end; the exit code is the one that shells report for that signal. */
export class Interruption extends Error {
  readonly signal: NodeJS.Signals;
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`);
    this.signal = signal;
    this.exitCode = 128 + constants.signals[signal];
  }

  override get name(): string {
    return "Interruption";
  }
}

/** Ends a command that has printed its result with an exit code of its own, without an error message. */
export class QuietExit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`ended with exit code ${exitCode}`);
    this.exitCode = exitCode;
  }

  override get name(): string {
    return "QuietExit";
  }
}

/** Aborts on the first signal, so that the command can clean up; a second one ends the process at once. */
export function abortOnSignals(controller: AbortController): void {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      const interruption = new Interruption(name);
      if (controller.signal.aborted) process.exit(interruption.exitCode);
      controller.abort(interruption);
    });
  }
}
