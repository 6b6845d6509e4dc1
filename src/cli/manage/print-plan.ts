import { redact } from "#base";
import { describePlan, type Plan, serialisePlan } from "#inventory";
import type { Notice } from "#integrations";
import type { OutputFormat } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import { type Colour, paint } from "../terminal/paint.ts";
import { printValue } from "../terminal/print.ts";
import { visibleText } from "../terminal/visible-text.ts";
import { planMarkdown } from "./plan-markdown.ts";

const colours: Readonly<Record<string, Colour>> = { "+": "green", "-": "red", "~": "yellow", "!": "red" };

/** Prints a plan; JSON and YAML are what `--out` writes. */
export async function printPlan(plan: Plan, format: OutputFormat, shell: Pick<Shell, "stdout" | "env">): Promise<void> {
  switch (format) {
    case "table":
      shell.stdout.write(planText(plan, shell));
      break;
    case "markdown":
      shell.stdout.write(planMarkdown(plan));
      break;
    case "json":
    case "yaml":
      await printValue(JSON.parse(serialisePlan(plan)), format, shell);
      break;
  }
}

/** As `describePlan` has it, in colour: what is new is green, what goes is red. */
function planText(plan: Plan, { stdout, env }: Pick<Shell, "stdout" | "env">): string {
  const lines = describePlan(plan).split("\n");
  return lines
    .map((line) => {
      const text = visibleText(redact(line));
      const colour = colours[/^ +([-+~!]) /.exec(line)?.[1] ?? ""];
      return colour === undefined ? text : paint(colour, text, stdout, env);
    })
    .join("\n");
}

/** Warnings are no part of the result: they go to standard error. */
export function printNotices(notices: readonly Notice[], { stderr, env }: Pick<Shell, "stderr" | "env">): void {
  for (const { where, what, next } of notices) {
    const place = where === undefined ? "" : `${plain(where)}: `;
    stderr.write(`${place}${paint("yellow", "warning", stderr, env)}: ${plain(what)}\n`);
    if (next !== undefined) stderr.write(`  ${plain(next)}\n`);
  }
}

function plain(text: string): string {
  return visibleText(redact(text));
}
