import { redact } from "#base";
import type { CouplingPlan, PlannedAction, PlannedCall } from "#coupling";
import type { Shell } from "../shell.ts";
import { type Colour, paint } from "../terminal/paint.ts";
import { printRows } from "../terminal/print.ts";
import { visibleText } from "../terminal/visible-text.ts";

interface ValueRow {
  readonly map: string;
  readonly key: string;
  readonly value: string;
  readonly source: string;
}

const colours: Readonly<Record<PlannedAction["do"], Colour>> = {
  apply: "green",
  recreate: "yellow",
  delete: "red",
  remove: "red",
};

/** Plug by plug: the verdict, what would be done in which order, and each value with its source. */
export async function printPlans(
  plans: readonly CouplingPlan[],
  format: "table" | "markdown",
  shell: Shell,
): Promise<void> {
  for (const [index, plan] of plans.entries()) {
    const title = visibleText(redact(`Plug ${plan.plug}: ${verdictOf(plan)}`));
    const isGood = plan.stage !== undefined;
    shell.stdout.write(index === 0 ? "" : "\n");
    if (format === "markdown") shell.stdout.write(`### ${title.replaceAll(/[\\`*_[\]<>]/g, "\\$&")}\n\n`);
    else shell.stdout.write(`${paint(isGood ? "green" : "yellow", title, shell.stdout, shell.env)}\n`);
    for (const problem of plan.problems)
      shell.stdout.write(`${format === "markdown" ? "- " : "  "}${visibleText(redact(problem))}\n`);
    if (plan.actions.length > 0) {
      await printRows({ rows: plan.actions, columns: actionColumns, whenEmpty: "" }, format, shell);
    }
    const { calls = [] } = plan;
    if (calls.length > 0) {
      shell.stdout.write("\n");
      await printRows({ rows: calls, columns: callColumns, whenEmpty: "" }, format, shell);
    }
    const values = valuesOf(plan);
    if (values.length === 0) continue;
    shell.stdout.write("\n");
    await printRows({ rows: values, columns: valueColumns, whenEmpty: "" }, format, shell);
  }
}

function verdictOf({ stage, socket, leaves, refusal, problems, open, actions }: CouplingPlan): string {
  const leaving = leaves === undefined ? "" : `would leave Socket ${leaves}, and `;
  if (refusal) return `${leaving}would wait: ${refusal.message}`;
  if (problems.length > 0) return `${leaving}would not couple to Socket ${socket}`;
  const verb = stage === "updated" ? "would be up to date, or updated, on" : "would be coupled to";
  const nothing = actions.length === 0 ? "; no object would be made" : "";
  const waits = open === undefined ? "" : `; known only afterwards: ${open}`;
  return `${leaving}${verb} Socket ${socket}${nothing}${waits}`;
}

const actionColumns = [
  { header: "stage", value: ({ stage }: PlannedAction) => stage },
  { header: "side", value: ({ side }: PlannedAction) => side },
  { header: "action", value: (row: PlannedAction) => row.do, colour: (row: PlannedAction) => colours[row.do] },
  { header: "kind", value: ({ kind }: PlannedAction) => kind },
  {
    header: "object",
    value: ({ namespace, name }: PlannedAction) => (namespace === undefined ? name : `${namespace}/${name}`),
  },
  { header: "because of", value: ({ field }: PlannedAction) => field },
];

const callColumns = [
  { header: "stage", value: ({ event }: PlannedCall) => event },
  { header: "side", value: ({ side }: PlannedCall) => side },
  { header: "call", value: ({ url }: PlannedCall) => `POST ${url}` },
  { header: "starts a pod", value: ({ startsPod }: PlannedCall) => (startsPod ? "if none runs" : "no") },
];

const valueColumns = (["map", "key", "value", "source"] as const).map((header) => {
  return { header, value: (row: ValueRow) => row[header] };
});

function valuesOf({ maps }: CouplingPlan): ValueRow[] {
  return maps.flatMap(({ name, keys, dropped }) => [
    ...keys.map(({ key, value, source }) => ({ map: name, key, value, source })),
    ...dropped.map(({ key, source }) => ({ map: name, key, value: "(dropped: not in the interface)", source })),
  ]);
}
