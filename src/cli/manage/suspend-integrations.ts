import { InputError } from "#base";
import { annotateObjects, type MarkedObject, objectsToResume, objectsToSuspend } from "#integrations";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printRows } from "../terminal/print-rows.ts";
import { preparePlan, type PlanningChoice } from "./prepare-plan.ts";

export interface ResumeChoice extends PlanningChoice {
  /** Of the integrations, and not Tenon's own. */
  readonly namespace?: string;
  readonly output: OutputFormat;
}

export interface SuspendChoice extends ResumeChoice {
  readonly reason: string;
}

/** `tenon suspend`: annotates what runs, so that every manager leaves it as it is. */
export async function suspendIntegrations(
  names: readonly string[],
  choice: SuspendChoice,
  shell: Shell,
): Promise<void> {
  const reason = choice.reason.trim();
  if (reason === "") throw new InputError("the reason is empty", { where: "--reason", next: "say why" });
  await annotate(names, choice, shell, { reason, select: objectsToSuspend, nothing: "nothing of them runs here" });
}

/** `tenon resume`: removes the annotation. */
export async function resumeIntegrations(names: readonly string[], choice: ResumeChoice, shell: Shell): Promise<void> {
  const nothing = "no annotation suspends them here";
  await annotate(names, choice, shell, { reason: undefined, select: objectsToResume, nothing });
}

interface Annotating {
  readonly reason: string | undefined;
  readonly select: typeof objectsToSuspend;
  readonly nothing: string;
}

async function annotate(
  given: readonly string[],
  { namespace, ...choice }: ResumeChoice,
  shell: Shell,
  { reason, select, nothing }: Annotating,
): Promise<void> {
  const names = given.map((word) => word.replace(/^integration\//, ""));
  await using prepared = await preparePlan({ ...choice, integration: names }, shell);
  const { planned } = prepared;
  const objects = select(
    planned,
    (found) => names.includes(found.integration) && (namespace === undefined || found.namespace === namespace),
  );
  if (objects.length === 0) {
    throw new InputError(`${names.join(", ")}: ${nothing}`, {
      next: "the data file of an integration can suspend it too, with suspend: {reason: ...}",
    });
  }
  await annotateObjects(objects, reason, planned.clusters, shell.signal);
  await printRows({ rows: objects, columns, whenEmpty: "" }, choice.output, shell);
  if (reason !== undefined) return;
  const still = planned.suspended.integrations.filter(
    ({ by, integration }) => by === "data" && names.includes(integration),
  );
  for (const { integration, where } of still) shell.stderr.write(`${integration} is still suspended by ${where}\n`);
}

const columns = [
  { header: "integration", value: ({ integration }: MarkedObject) => integration },
  { header: "where", value: ({ cluster, namespace }: MarkedObject) => `${cluster}/${namespace}` },
  { header: "kind", value: ({ kind }: MarkedObject) => kind },
  { header: "name", value: ({ name }: MarkedObject) => name },
];
