import { redact } from "#base";
import type { ActionOutcome } from "#inventory";
import type { Shell } from "../shell.ts";
import { visibleText } from "../terminal/visible-text.ts";

/** Prints the calls that a dry run did not make: method, path, and body without secrets, to be read from top to bottom. */
export function printCalls(outcomes: readonly ActionOutcome[], { stdout }: Pick<Shell, "stdout">): void {
  for (const { cluster, calls } of outcomes) {
    for (const { method, path, body } of calls) {
      stdout.write(`\n${plain(cluster)}: ${method} ${plain(path)}\n`);
      if (body !== undefined) stdout.write(`${indented(body)}\n`);
    }
  }
}

function indented(body: string): string {
  return JSON.stringify(JSON.parse(body), undefined, 2).split("\n").map(plain).join("\n");
}

function plain(text: string): string {
  return visibleText(redact(text));
}
