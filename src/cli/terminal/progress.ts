import { type Clock, systemClock } from "#base";
import type { ShellOutput, Shell } from "../shell.ts";
import { canRedraw } from "./interactivity.ts";
import { LiveLine } from "./live-line.ts";

/** Shows progress. Dispose of it before printing the result. */
export interface ProgressReporter extends Disposable {
  /** Replaces the text; a new phase is always shown. */
  update(phase: string, text: string): void;
  /** Prints a line that stays. */
  note(text: string): void;
}

/** On a terminal one line that is redrawn; elsewhere a plain line per phase, and one every 30 s within it. */
export function showProgress(
  output: ShellOutput,
  env: Shell["env"],
  clock: Pick<Clock, "monotonic"> = systemClock,
): ProgressReporter {
  return canRedraw(output, env) ? new RedrawnLine(output) : new PlainLines(output, clock);
}

class RedrawnLine implements ProgressReporter {
  readonly #line: LiveLine;

  constructor(output: ShellOutput) {
    this.#line = new LiveLine(output);
  }

  update(_phase: string, text: string): void {
    this.#line.show(text);
  }

  note(text: string): void {
    this.#line.note(text);
  }

  [Symbol.dispose](): void {
    this.#line.clear();
  }
}

const patienceMs = 30_000;

class PlainLines implements ProgressReporter {
  readonly #output: ShellOutput;
  readonly #clock: Pick<Clock, "monotonic">;
  #phase: string | undefined;
  #saidAt = 0;

  constructor(output: ShellOutput, clock: Pick<Clock, "monotonic">) {
    this.#output = output;
    this.#clock = clock;
  }

  update(phase: string, text: string): void {
    const now = this.#clock.monotonic();
    if (phase === this.#phase && now - this.#saidAt < patienceMs) return;
    this.#phase = phase;
    this.#saidAt = now;
    this.note(text);
  }

  note(text: string): void {
    this.#output.write(`${text}\n`);
  }

  [Symbol.dispose](): void {}
}
