import { InputError } from "#base";
import { describePlan, type Plan, serialisePlan } from "#inventory";
import type { IntegrationError, Notice } from "#integrations";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { paint } from "../terminal/paint.ts";
import { paintPlan } from "../terminal/paint-plan.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { safeText } from "../terminal/visible-text.ts";
import { planMarkdown } from "./plan-markdown.ts";

/** Prints a plan; JSON and YAML have the content that `--out` writes. */
export async function printPlan(plan: Plan, format: OutputFormat, shell: Pick<Shell, "stdout" | "env">): Promise<void> {
  switch (format) {
    case "table":
      shell.stdout.write(paintPlan(describePlan(plan), shell.stdout, shell.env));
      break;
    case "markdown":
      shell.stdout.write(planMarkdown(plan));
      break;
    case "json":
    case "yaml":
      await printDocument(JSON.parse(serialisePlan(plan)), format, shell);
      break;
  }
}

/** Warnings go to standard error, because they are not part of the result. */
export function printNotices(notices: readonly Notice[], { stderr, env }: Pick<Shell, "stderr" | "env">): void {
  for (const { where, what, next } of notices) {
    const place = where === undefined ? "" : `${safeText(where)}: `;
    stderr.write(`${place}${paint("yellow", "warning", stderr, env)}: ${safeText(what)}\n`);
    if (next !== undefined) stderr.write(`  ${safeText(next)}\n`);
  }
}

/** Prints the errors of integrations, after everything else, and fails if there are any. */
export function printErrors(errors: readonly IntegrationError[], { stderr, env }: Pick<Shell, "stderr" | "env">): void {
  if (errors.length === 0) return;
  for (const { integration, where, what, next } of errors) {
    const place = where === undefined ? "" : `${safeText(where)}: `;
    stderr.write(`${place}${paint("red", "error", stderr, env)}: ${safeText(integration)}: ${safeText(what)}\n`);
    if (next !== undefined) stderr.write(`  ${safeText(next)}\n`);
  }
  const names = new Set(errors.map(({ integration }) => integration));
  throw new InputError(`errors in ${[...names].join(", ")}`, {
    next: "fix the errors above; other integrations are not affected",
  });
}
