import { readFile } from "node:fs/promises";
import { CommandFailed, InputError, redact, systemClock } from "#base";
import { type AppliedPlan, applyPlan, describeTarget, type PendingWait } from "#integrations";
import {
  completePlan,
  holdBackFrom,
  isFailure,
  type ActionOutcome,
  type OutcomeState,
  parsePlan,
  type Plan,
  sumUp,
} from "#inventory";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import type { Column } from "../terminal/format-table.ts";
import type { Colour } from "../terminal/paint.ts";
import { printRows } from "../terminal/print-rows.ts";
import { healthyWithin } from "./manage-settings.ts";
import { preparePlan, type PlanningChoice } from "./prepare-plan.ts";
import { printNotices, printPlan } from "./print-plan.ts";
import { safeText } from "../terminal/visible-text.ts";

export interface ApplyChoice extends PlanningChoice {
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly healthyWithin?: string;
  readonly output: OutputFormat;
}

/** `tenon apply`: shows what would change, asks, and changes it. */
export async function applyIntegrations(file: string | undefined, choice: ApplyChoice, shell: Shell): Promise<void> {
  const saved = file === undefined ? undefined : parsePlan(await readPlan(file), file);
  await using prepared = await preparePlan(choice, shell);
  const { planned, memory, committedAt, ignoreDifferences } = prepared;
  const complete = saved && completePlan(saved, planned.inventory, { ignoreDifferences });
  const plan = complete ? holdBackFrom(complete, planned.suspended.holdBack) : planned.plan;
  await prepared.reports.open();
  printNotices(prepared.warnings, shell);
  // Programs read the result from standard output, so the plan before the question goes elsewhere.
  const stdout = choice.output === "table" ? shell.stdout : shell.stderr;
  await printPlan(plan, "table", { stdout, env: shell.env });
  if (plan.actions.length > 0 && !choice.yes && !choice.dryRun) {
    const question = `change ${plan.actions.length === 1 ? "1 object" : `${plan.actions.length} objects`}?`;
    if (!(await confirm(question, shell, shell.signal))) {
      throw new InputError("nothing was changed", { next: "answer yes, or use --yes" });
    }
  }
  const { dryRun } = choice;
  const start = systemClock.monotonic();
  let done = 0;
  const onOutcome = (): void => shell.progress?.(`applying: ${++done} of ${plan.actions.length}`);
  const applied = await applyPlan(
    { ...planned, plan },
    {
      dryRun,
      memory,
      committedAt,
      onOutcome,
      healthyWithinMs: healthyWithin(choice.healthyWithin, prepared.config),
      onWait: (waiting) => printWaits(waiting, shell),
    },
    shell.signal,
  );
  const seconds = (systemClock.monotonic() - start) / 1000;
  const run = { why: "apply", ...applied, isDryRun: dryRun, seconds, plan, inventory: planned.inventory };
  await prepared.reports.report({ ...run, data: prepared.data }, shell.signal);
  await prepared.reports.close();
  await printOutcomes(applied, plan, choice, shell);
}

/** What a move, a rollout or a wave waits for, whenever that changes. */
function printWaits(waiting: readonly PendingWait[], { stderr }: Pick<Shell, "stderr">): void {
  for (const { target, why } of waiting) {
    stderr.write(`waiting for ${safeText(describeTarget(target))}: ${safeText(redact(why))}\n`);
  }
}

/** Prints what became of a plan, and fails if a part of it failed. */
export async function printOutcomes(
  { outcomes, isSuccess }: AppliedPlan,
  plan: Plan,
  { dryRun, output }: Pick<ApplyChoice, "dryRun" | "output">,
  shell: Shell,
): Promise<void> {
  if (output !== "table") await printRows({ rows: outcomes, columns, whenEmpty: "" }, output, shell);
  else if (dryRun) printCalls(outcomes, shell);
  else if (outcomes.length > 0) {
    // The plan above has shown what is done now.
    const rows = outcomes.filter(({ state }) => state !== "done");
    shell.stdout.write(`\n${outcomes.length - rows.length} of ${outcomes.length} done\n`);
    if (rows.length > 0) await printRows({ rows, columns, whenEmpty: "" }, "table", shell);
  }
  for (const { next } of outcomes.filter(isFailure))
    if (next !== undefined) shell.stderr.write(`  next: ${redact(next)}\n`);
  const isStopped = shell.signal.aborted;
  if (isSuccess && !isStopped) return;
  const parts = [countOutcomes(outcomes, isStopped), describePlanErrors(plan)];
  throw new CommandFailed(parts.filter(Boolean).join("; "), { next: nextAfter(outcomes, isStopped) });
}

/** Like `stopped: 3 of 10 changes are done, 6 were not tried, 1 failed`. */
export function countOutcomes(outcomes: readonly Pick<ActionOutcome, "state">[], isStopped: boolean): string {
  const failed = outcomes.filter(isFailure).length;
  if (failed === 0 && !isStopped) return "";
  const skipped = outcomes.filter(({ state }) => state === "skipped").length;
  const done = outcomes.length - failed - skipped;
  const rest = [skipped > 0 ? `${skipped} skipped` : "", failed > 0 ? `${failed} failed` : ""].filter(Boolean);
  const text = [`${done} of ${outcomes.length} changes are done`, ...rest].join(", ");
  return isStopped ? `stopped: ${text}` : text;
}

function nextAfter(outcomes: readonly ActionOutcome[], isStopped: boolean): string {
  if (isStopped) return "apply again to go on: what is done is not repeated";
  const isWhole = outcomes.every((outcome) => outcome.state !== "skipped");
  return isWhole ? "see the errors above; all other changes are applied" : "see the errors above, then apply again";
}

function describePlanErrors(plan: Plan): string {
  const refusals = plan.refusals.filter(({ isError }) => isError);
  if (plan.errors.length + refusals.length === 0) return "";
  return sumUp({ ...plan, actions: [], unchanged: 0, refusals });
}

const colours: Readonly<Record<OutcomeState, Colour | undefined>> = {
  done: undefined,
  planned: "yellow",
  skipped: "yellow",
  refused: "red",
  failed: "red",
};
const columns: readonly Column<ActionOutcome>[] = [
  { header: "state", value: ({ state }) => state, colour: ({ state }) => colours[state] },
  { header: "change", value: ({ action }) => action },
  { header: "where", value: ({ cluster, namespace }) => `${cluster}/${namespace}`, keep: "all" },
  { header: "kind", value: ({ kind }) => kind, keep: "all" },
  { header: "name", value: ({ name }) => name, keep: "all" },
  { header: "why not", value: ({ reason }) => reason, below: ({ reason }) => (reason === undefined ? [] : [reason]) },
];

async function readPlan(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((cause: unknown) => {
    throw new InputError("cannot read the plan", { where: file, next: "create one with `tenon plan --out`", cause });
  });
}

/** Prints the API calls of a dry run in their order: method, path, and body without secrets. */
function printCalls(outcomes: readonly ActionOutcome[], { stdout }: Pick<Shell, "stdout">): void {
  for (const { cluster, calls } of outcomes) {
    for (const { method, path, body } of calls) {
      stdout.write(`\n${safeText(cluster)}: ${method} ${safeText(path)}\n`);
      if (body !== undefined) stdout.write(`${indented(body)}\n`);
    }
  }
}

function indented(body: string): string {
  return JSON.stringify(JSON.parse(body), undefined, 2).split("\n").map(safeText).join("\n");
}
