import { InputError, redact } from "#base";
import type { IntegrationError } from "#integrations";
import type { Shell } from "../shell.ts";
import { paint } from "../terminal/paint.ts";
import { visibleText } from "../terminal/visible-text.ts";

/** Says what is wrong with which integrations, after everything else was printed, and fails if something is. */
export function printErrors(errors: readonly IntegrationError[], { stderr, env }: Pick<Shell, "stderr" | "env">): void {
  if (errors.length === 0) return;
  for (const { integration, where, what, next } of errors) {
    const place = where === undefined ? "" : `${plain(where)}: `;
    stderr.write(`${place}${paint("red", "error", stderr, env)}: ${plain(integration)}: ${plain(what)}\n`);
    if (next !== undefined) stderr.write(`  ${plain(next)}\n`);
  }
  const names = new Set(errors.map(({ integration }) => integration));
  throw new InputError(`${[...names].join(", ")}: see above`, { next: "the others are not concerned" });
}

function plain(text: string): string {
  return visibleText(redact(text));
}
