import { InputError } from "#base";
import { type Check, judgeMachine } from "./judge-machine.ts";
import { readMachine } from "./machine.ts";
import type { OutputFormat } from "./output-option.ts";
import type { Shell } from "./shell.ts";
import { alignPairs } from "./terminal/align-pairs.ts";
import type { Colour } from "./terminal/paint.ts";
import { printRows } from "./terminal/print.ts";
import type { Column } from "./terminal/table.ts";

const stateColours: Readonly<Record<Check["state"], Colour>> = { ok: "green", warn: "yellow", fail: "red" };

const columns: readonly Column<Check>[] = [
  { header: "check", value: ({ check }) => check },
  { header: "state", value: ({ state }) => state, colour: ({ state }) => stateColours[state] },
  { header: "detail", value: ({ detail }) => detail },
];
const nextColumn: Column<Check> = { header: "next step", value: ({ next }) => next };

/** Prints what is fine and what is not; fails when something stops the user. */
export async function examineMachine(format: OutputFormat, shell: Shell): Promise<void> {
  const checks = judgeMachine(await readMachine(shell.env, shell.signal));
  // A table may be cut to fit the terminal; next steps must not be, so there they follow below it.
  const isTable = format === "table";
  await printRows(
    { rows: checks, columns: isTable ? columns : [...columns, nextColumn], whenEmpty: "" },
    format,
    shell,
  );
  const steps = checks.flatMap(({ check, next }) => (next === undefined ? [] : [[check, next] as const]));
  if (isTable && steps.length > 0) shell.stdout.write(`\nNext steps:\n${alignPairs(steps)}\n`);
  const failed = checks.filter(({ state }) => state === "fail").map(({ check }) => check);
  if (failed.length > 0)
    throw new InputError(`${failed.length} of ${checks.length} checks failed: ${failed.join(", ")}`);
}
