import type { Shell, ShellOutput } from "../shell.ts";
import { canRedraw } from "./interactivity.ts";
import { cutText } from "./text-width.ts";

const clearLine = "\r\u001B[K";

/** One line of a terminal that is redrawn. */
export class LiveLine implements Disposable {
  readonly #output: ShellOutput;
  #text = "";

  constructor(output: ShellOutput) {
    this.#output = output;
  }

  /** Leaves one column free: some terminals wrap when the last one is filled. */
  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#output.write(clearLine + cutText(text, (this.#output.columns || 80) - 1));
  }

  /** Prints a line that stays, above this one. */
  note(text: string): void {
    this.#output.write(`${clearLine}${text}\n`);
    const shown = this.#text;
    this.#text = "";
    if (shown !== "") this.show(shown);
  }

  clear(): void {
    if (this.#text !== "") this.#output.write(clearLine);
    this.#text = "";
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

/**
 * The same shell, with a line on its terminal that says what the command does now; whatever the command prints replaces it. Off
 * a terminal nothing is shown. Imports nothing of other rooms, so that the line is there before they are loaded.
 */
export function withLiveLine(shell: Shell, text: string): Shell & Disposable {
  const line = canRedraw(shell.stderr, shell.env) ? new LiveLine(shell.stderr) : undefined;
  line?.show(text);
  const cleared = (output: ShellOutput): ShellOutput => ({
    get isTTY() {
      return output.isTTY === true;
    },
    get columns() {
      return output.columns ?? 0;
    },
    write(written) {
      line?.clear();
      return output.write(written);
    },
  });
  return {
    env: shell.env,
    ...(shell.words === undefined ? {} : { words: shell.words }),
    get stdin() {
      return shell.stdin;
    },
    stdout: cleared(shell.stdout),
    stderr: cleared(shell.stderr),
    signal: shell.signal,
    progress: (now) => line?.show(now),
    [Symbol.dispose]: () => line?.clear(),
  };
}
