import { type Clock, systemClock } from "#base";
import type { Output, Shell } from "../shell.ts";
import { canRedraw } from "./manners.ts";
import { cutText } from "./text-width.ts";

/** Tells that something is going on. Dispose of it before printing the result. */
export interface Progress extends Disposable {
  /** The text replaces what was said before; the phase tells whether something else is going on now. */
  update(phase: string, text: string): void;
  /** A line that stays. */
  note(text: string): void;
}

/** One line, drawn again and again, on a terminal; elsewhere a plain line for each phase, and one each 30 s within it. */
export function showProgress(
  output: Output,
  env: Shell["env"],
  clock: Pick<Clock, "monotonic"> = systemClock,
): Progress {
  return canRedraw(output, env) ? new LiveLine(output) : new PlainLines(output, clock);
}

const clearLine = "\r\u001B[K";

class LiveLine implements Progress {
  readonly #output: Output;
  #text = "";

  constructor(output: Output) {
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

  /** One column is left free: a terminal wraps when its last one is filled. */
  #draw(): void {
    this.#output.write(clearLine + cutText(this.#text, (this.#output.columns || 80) - 1));
  }
}

const patienceMs = 30_000;

class PlainLines implements Progress {
  readonly #output: Output;
  readonly #clock: Pick<Clock, "monotonic">;
  #phase: string | undefined;
  #saidAt = 0;

  constructor(output: Output, clock: Pick<Clock, "monotonic">) {
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
