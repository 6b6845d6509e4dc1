import { constants } from "node:os";

/** Somebody asked the process to end; it ends with the code that shells give for that signal. */
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
