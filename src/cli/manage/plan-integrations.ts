import { writeFile } from "node:fs/promises";
import { CommandFailed, InputError } from "#base";
import { serialisePlan, succeeded, sumUp } from "#inventory";
import type { OutputFormat } from "../shared-options.ts";
import { QuietExit } from "../exits.ts";
import type { Shell } from "../shell.ts";
import { type PlanningChoice, previewPlan } from "./prepare-plan.ts";
import { printNotices, printPlan } from "./print-plan.ts";

export interface PlanChoice extends PlanningChoice {
  readonly out?: string;
  readonly exitZero: boolean;
  readonly output: OutputFormat;
}

/** `tenon plan`: prints what would change. */
export async function planIntegrations(choice: PlanChoice, shell: Shell): Promise<void> {
  const { plan, warnings } = await previewPlan(choice, shell);
  printNotices(warnings, shell);
  await printPlan(plan, choice.output, shell);
  if (choice.out !== undefined) await save(choice.out, serialisePlan(plan));
  if (!succeeded(plan, []))
    throw new CommandFailed(`the plan has errors: ${sumUp(plan)}`, { next: "see the errors above" });
  if (plan.actions.length > 0 && !choice.exitZero) throw new QuietExit(2);
}

/** Readable only by its owner: a plan may contain confidential details. */
async function save(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 }).catch((cause: unknown) => {
    throw new InputError("cannot write the plan", { where: file, next: "check the path of --out", cause });
  });
}
