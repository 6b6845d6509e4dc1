import { createInterface } from "node:readline/promises";
import { InputError } from "#base";
import type { Shell } from "../shell.ts";
import { canAsk } from "./interactivity.ts";

/** Asks on the terminal; anything but yes is no. Without a terminal it fails and names `--yes`. */
export async function confirm(
  question: string,
  shell: Pick<Shell, "stdin" | "stderr" | "env">,
  signal: AbortSignal,
): Promise<boolean> {
  if (!canAsk(shell)) {
    throw new InputError(`confirmation needed, but there is no terminal: ${question}`, {
      next: "confirm with --yes",
    });
  }
  // Not in raw mode, where Ctrl-C would be a character instead of a signal.
  const lines = createInterface({ input: shell.stdin, terminal: false, signal });
  try {
    shell.stderr.write(`${question} [y/N] `);
    const first = await lines[Symbol.asyncIterator]().next();
    if (first.done) shell.stderr.write("\n");
    signal.throwIfAborted();
    return !first.done && /^y(es)?$/i.test(first.value.trim());
  } finally {
    lines.close();
  }
}
