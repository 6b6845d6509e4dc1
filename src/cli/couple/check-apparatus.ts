import { CommandFailed, InputError, parseDuration, systemClock } from "#base";
import { readToken } from "../data/read-token.ts";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { alignPairs } from "../terminal/text-width.ts";
import { confirm } from "../terminal/confirm.ts";
import { printRows } from "../terminal/print-rows.ts";
import type { Column } from "../terminal/format-table.ts";
import { runApparatusChecks, type ApparatusCheck } from "./apparatus-checks.ts";
import { ApparatusProbe } from "./apparatus-probe.ts";
import { type CheckedSide, makeSamples, readSampleValues, sampleName } from "./apparatus-samples.ts";

export interface CheckApparatusChoice {
  readonly side?: CheckedSide;
  readonly config?: string;
  readonly tokenFile?: string;
  readonly timeout: string;
  readonly yes: boolean;
  readonly output: OutputFormat;
}

const columns: readonly Column<ApparatusCheck>[] = [
  {
    header: "",
    value: ({ state }) => (state === "ok" ? "✓" : "✗"),
    colour: ({ state }) => (state === "ok" ? undefined : "red"),
  },
  { header: "check", value: ({ check }) => check, keep: "all" },
  { header: "detail", value: ({ detail }) => detail },
];
const adviceColumn: Column<ApparatusCheck> = { header: "advice", value: ({ advice }) => advice };

/** `tenon couple check-apparatus`: calls an apparatus, prints all checks, and fails if one fails. */
export async function checkApparatus(url: string, choice: CheckApparatusChoice, shell: Shell): Promise<void> {
  const { signal, stderr, stdout } = shell;
  const base = readBase(url);
  const timeoutMs = readTimeout(choice.timeout);
  const values = await readSampleValues(choice.config);
  const token = choice.tokenFile === undefined ? undefined : await readToken(choice.tokenFile, {});
  const side = choice.side ?? (base.endsWith("/plug") ? "plug" : "socket");
  stderr.write(
    `This calls all stages of ${base}, the apparatus of a ${side}, for a plug and a socket named ${sampleName}.\n` +
      "The effects are real; only its own decoupled and deleted stages undo them.\n",
  );
  if (!choice.yes && !(await confirm("Call it?", shell, signal))) throw new InputError("nothing was called");
  const probe = new ApparatusProbe({ base, timeoutMs, clock: systemClock, ...(token === undefined ? {} : { token }) });
  const checks = await runApparatusChecks(probe, makeSamples(side, values), signal);
  // A table may be cut to fit the terminal; advice must not be, so it follows below it.
  const isTable = choice.output === "table";
  const rows = { rows: checks, columns: isTable ? columns : [...columns, adviceColumn], whenEmpty: "" };
  await printRows(rows, choice.output, shell);
  const advice = checks.flatMap((each) => (each.advice === undefined ? [] : [[each.check, each.advice] as const]));
  if (isTable && advice.length > 0) stdout.write(`\nWhat to change:\n${alignPairs(advice)}\n`);
  const failed = checks.filter(({ state }) => state === "fail").map(({ check }) => check);
  if (failed.length === 0) return;
  const isLockedOut = probe.exchanges.some(({ status }) => status === 401 || status === 403);
  throw new CommandFailed(`${failed.length} of ${checks.length} checks failed: ${failed.join(", ")}`, {
    where: base,
    ...(isLockedOut
      ? {
          next: "it requires a token: create one with `kubectl create token NAME --audience integration-operator`, and use --token-file",
        }
      : {}),
  });
}

function readBase(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return url.href.replace(/\/+$/, "");
  throw new InputError(`${JSON.stringify(text)} is not a valid URL of an apparatus`, {
    next: "write it like http://localhost:8080/socket",
  });
}

function readTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InputError(`expected a duration such as 60s, got ${JSON.stringify(text)}`, { where: "--timeout" });
}
