import { CommandFailed } from "#base";
import { type MachineCheck, checkMachine } from "./check-machine.ts";
import { readMachine } from "./read-machine.ts";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { alignPairs } from "../terminal/text-width.ts";
import type { Colour } from "../terminal/paint.ts";
import { printRows } from "../terminal/print-rows.ts";
import type { Column } from "../terminal/format-table.ts";

const stateColours: Readonly<Record<MachineCheck["state"], Colour | undefined>> = {
  ok: undefined,
  warn: "yellow",
  fail: "red",
};

const columns: readonly Column<MachineCheck>[] = [
  { header: "check", value: ({ check }) => check, keep: "all" },
  { header: "state", value: ({ state }) => state, colour: ({ state }) => stateColours[state], keep: "all" },
  { header: "detail", value: ({ detail }) => detail },
];
const nextColumn: Column<MachineCheck> = { header: "next step", value: ({ next }) => next };

/** Prints all checks; fails if one of them fails. */
export async function printMachineChecks(format: OutputFormat, shell: Shell): Promise<void> {
  const checks = checkMachine(await readMachine(shell.env, shell.signal));
  const shown = checks.map((each) => ({ ...each, detail: homePaths(each.detail, shell.env) }));
  // A table may be cut to fit the terminal; next steps must not be, so they follow below it.
  const isTable = format === "table";
  await printRows(
    { rows: isTable ? shown : checks, columns: isTable ? columns : [...columns, nextColumn], whenEmpty: "" },
    format,
    shell,
  );
  const steps = checks.flatMap(({ check, next }) => (next === undefined ? [] : [[check, next] as const]));
  if (isTable && steps.length > 0) shell.stdout.write(`\nNext steps:\n${alignPairs(steps)}\n`);
  const failed = checks.filter(({ state }) => state === "fail").map(({ check }) => check);
  if (failed.length > 0)
    throw new CommandFailed(`${failed.length} of ${checks.length} checks failed: ${failed.join(", ")}`);
}

/** The text with `~` for the home of the user, so that paths in it fit a terminal. */
function homePaths(text: string, { HOME: home }: Shell["env"]): string {
  return home === undefined || home.length < 2 ? text : text.replaceAll(`${home}/`, "~/");
}
