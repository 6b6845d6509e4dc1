import { InputError } from "#base";
import type { Shell } from "../shell.ts";
import { askLine } from "./confirm.ts";

/** Asks which of several is meant, and returns its place in the list. Call it only where a person can answer. */
export async function askForOne(
  question: string,
  answers: readonly string[],
  shell: Pick<Shell, "stdin" | "stderr">,
  signal: AbortSignal,
): Promise<number> {
  const list = answers.map((answer, index) => `  ${index + 1}  ${answer}\n`).join("");
  const line = await askLine(`${question}\n${list}[1-${answers.length}] `, shell, signal);
  const chosen = /^\d+$/.test(line ?? "") ? Number(line) : 0;
  if (chosen >= 1 && chosen <= answers.length) return chosen - 1;
  throw new InputError(`expected a number from 1 to ${answers.length}, got ${JSON.stringify(line ?? "")}`, {
    next: "run it again, or name the cluster with --instance or --context",
  });
}
