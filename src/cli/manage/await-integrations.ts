import { Readable } from "node:stream";
import { type Clock, CommandFailed, systemClock } from "#base";
import type { Shell } from "../shell.ts";
import { type IntegrationRow, surveyIntegrations } from "./get-integrations.ts";
import type { PlanningChoice } from "./prepare-plan.ts";

const patienceMs = 180_000;
const pauseMs = 500;

/** Waits until the pods of all integrations are ready, or fails with what their pods say. */
export async function awaitIntegrations(
  choice: PlanningChoice,
  shell: Shell,
  clock: Pick<Clock, "monotonic" | "sleep"> = systemClock,
  survey: (choice: PlanningChoice, shell: Shell) => Promise<{ rows: readonly IntegrationRow[] }> = surveyIntegrations,
): Promise<void> {
  const end = clock.monotonic() + patienceMs;
  const { env, stdout, stderr, signal } = shell;
  // Without the progress of each look at the clusters.
  const quiet: Shell = { env, stdin: Readable.from([]), stdout, stderr, signal };
  for (;;) {
    const { rows } = await survey(choice, quiet);
    const late = rows.filter(isLate);
    if (late.length === 0) {
      shell.stdout.write(`${rows.length} integrations are ready\n`);
      return;
    }
    if (clock.monotonic() >= end) throw notReady(late, rows.length);
    shell.progress?.(`waiting for pods: ${rows.length - late.length} of ${rows.length} integrations are ready`);
    await clock.sleep(pauseMs, shell.signal);
  }
}

function isLate({ running, desired, trouble, suspended }: IntegrationRow): boolean {
  return suspended === undefined && (running < desired || trouble.length > 0);
}

function notReady(late: readonly IntegrationRow[], count: number): CommandFailed {
  const lines = late.map(({ integration, cluster, namespace, running, desired, trouble }) => {
    const why = trouble.join("; ") || `${running} of ${desired} ready`;
    return `  ${integration} in ${cluster}/${namespace}: ${why}`;
  });
  return new CommandFailed(
    `${late.length} of ${count} integrations are not ready after ${patienceMs / 60_000} min:\n${lines.join("\n")}`,
    { next: "`tenon get integrations` shows what changes, in the folder of the data" },
  );
}
