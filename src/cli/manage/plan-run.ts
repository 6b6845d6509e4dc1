import { writeFile } from "node:fs/promises";
import { InputError } from "#base";
import { serialisePlan, succeeded, sumUp } from "#inventory";
import type { OutputFormat } from "../output-option.ts";
import { QuietExit } from "../quiet-exit.ts";
import type { Shell } from "../shell.ts";
import { look, type LookChoice } from "./look.ts";
import { printNotices, printPlan } from "./print-plan.ts";

export interface PlanChoice extends LookChoice {
  readonly out?: string;
  readonly exitZero: boolean;
  readonly output: OutputFormat;
}

/** Prints what would change. */
export async function runPlan(choice: PlanChoice, shell: Shell): Promise<void> {
  await using looked = await look(choice, shell);
  const { plan } = looked.planned;
  printNotices(looked.warnings, shell);
  await printPlan(plan, choice.output, shell);
  if (choice.out !== undefined) await save(choice.out, serialisePlan(plan));
  if (!succeeded(plan, [])) throw new InputError(`the plan has errors: ${sumUp(plan)}`, { next: "see above" });
  if (plan.actions.length > 0 && !choice.exitZero) throw new QuietExit(2);
}

/** Only for its owner: a plan may tell much about a company. */
async function save(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 }).catch((cause: unknown) => {
    throw new InputError("the plan cannot be written", { where: file, next: "check the path of --out", cause });
  });
}
