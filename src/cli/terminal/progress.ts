import { type Clock, systemClock } from "#base";
import type { ShellOutput, Shell } from "../shell.ts";
import { canRedraw } from "./interactivity.ts";
import { cutText } from "./text-width.ts";

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
  return canRedraw(output, env) ? new LiveLine(output) : new PlainLines(output, clock);
}

const clearLine = "\r\u001B[K";

class LiveLine implements ProgressReporter {
  readonly #output: ShellOutput;
  #text = "";

  constructor(output: ShellOutput) {
    this.#output = output;
  }

  update(_phase: string, text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#draw();
  }

  note(text: string): void {
    this.#output.write(`${clearLine}${text}\n`);
    this.#draw();
  }

  [Symbol.dispose](): void {
    if (this.#text !== "") this.#output.write(clearLine);
  }

  /** Leaves one column free: some terminals wrap when the last one is filled. */
  #draw(): void {
    this.#output.write(clearLine + cutText(this.#text, (this.#output.columns || 80) - 1));
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
