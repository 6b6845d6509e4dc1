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
      next: "confirm with --yes or -y",
    });
  }
  return /^y(es)?$/i.test((await askLine(`${question} [y/N] `, shell, signal)) ?? "");
}

/** The line that a person types; undefined at the end of the input. */
export async function askLine(
  prompt: string,
  { stdin, stderr }: Pick<Shell, "stdin" | "stderr">,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Not in raw mode, where Ctrl-C would be a character instead of a signal.
  const lines = createInterface({ input: stdin, terminal: false, signal });
  try {
    stderr.write(prompt);
    const first = await lines[Symbol.asyncIterator]().next();
    if (first.done) stderr.write("\n");
    signal.throwIfAborted();
    return first.done ? undefined : first.value.trim();
  } finally {
    lines.close();
  }
}
