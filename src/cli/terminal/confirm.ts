import { createInterface } from "node:readline/promises";
import { InputError } from "#base";
import type { Shell } from "../shell.ts";
import { canAsk } from "./manners.ts";

/** Asks on the terminal; anything but yes is no. Where nobody can answer it refuses and names `--yes`. */
export async function confirm(
  question: string,
  shell: Pick<Shell, "stdin" | "stderr" | "env">,
  signal: AbortSignal,
): Promise<boolean> {
  if (!canAsk(shell)) {
    throw new InputError(`this needs a yes, and there is no terminal to ask on: ${question}`, {
      next: "say so beforehand with --yes",
    });
  }
  // Not in raw mode: there, Ctrl-C would be a character and no signal.
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
