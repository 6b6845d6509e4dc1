import { InputError, parseDuration, systemClock } from "#base";
import { readToken } from "../data-token.ts";
import type { OutputFormat } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import { alignPairs } from "../terminal/align-pairs.ts";
import { confirm } from "../terminal/confirm.ts";
import { printRows } from "../terminal/print.ts";
import type { Column } from "../terminal/table.ts";
import { checkApparatus, type Finding } from "./check-apparatus-checks.ts";
import { Probe } from "./check-apparatus-probe.ts";
import { type CheckedSide, makeSamples, readSampleValues, sampleName } from "./check-apparatus-samples.ts";

export interface CheckChoice {
  readonly side?: CheckedSide;
  readonly config?: string;
  readonly tokenFile?: string;
  readonly timeout: string;
  readonly yes: boolean;
  readonly output: OutputFormat;
}

const columns: readonly Column<Finding>[] = [
  {
    header: "",
    value: ({ state }) => (state === "ok" ? "✓" : "✗"),
    colour: ({ state }) => (state === "ok" ? "green" : "red"),
  },
  { header: "check", value: ({ check }) => check },
  { header: "detail", value: ({ detail }) => detail },
];
const adviceColumn: Column<Finding> = { header: "advice", value: ({ advice }) => advice };

/** Checks an apparatus, prints what was found, and fails if something is wrong. */
export async function runCheck(url: string, choice: CheckChoice, shell: Shell): Promise<void> {
  const { signal, stderr, stdout } = shell;
  const base = readBase(url);
  const timeoutMs = readTimeout(choice.timeout);
  const values = await readSampleValues(choice.config);
  const token = choice.tokenFile === undefined ? undefined : await readToken(choice.tokenFile, {});
  const side = choice.side ?? (base.endsWith("/plug") ? "plug" : "socket");
  stderr.write(
    `This calls all stages of ${base} as the apparatus of a ${side}, for a plug and a socket named ${sampleName}.\n` +
      "What it does then is real, and undone only as far as its decoupled and deleted undo it.\n",
  );
  if (!choice.yes && !(await confirm("Call it?", shell, signal))) throw new InputError("nothing was called");
  const probe = new Probe({ base, timeoutMs, clock: systemClock, ...(token === undefined ? {} : { token }) });
  const findings = await checkApparatus(probe, makeSamples(side, values), signal);
  // A table may be cut to fit the terminal; advice must not be, so there it follows below it.
  const isTable = choice.output === "table";
  const rows = { rows: findings, columns: isTable ? columns : [...columns, adviceColumn], whenEmpty: "" };
  await printRows(rows, choice.output, shell);
  const advice = findings.flatMap((finding) =>
    finding.advice === undefined ? [] : [[finding.check, finding.advice] as const],
  );
  if (isTable && advice.length > 0) stdout.write(`\nWhat to change:\n${alignPairs(advice)}\n`);
  const failed = findings.filter(({ state }) => state === "fail").map(({ check }) => check);
  if (failed.length === 0) return;
  const isLockedOut = probe.exchanges.some(({ status }) => status === 401 || status === 403);
  throw new InputError(`${failed.length} of ${findings.length} checks failed: ${failed.join(", ")}`, {
    where: base,
    ...(isLockedOut
      ? { next: "it wants a token: `kubectl create token NAME --audience integration-operator`, and --token-file" }
      : {}),
  });
}

function readBase(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return url.href.replace(/\/+$/, "");
  throw new InputError(`${JSON.stringify(text)} is no address of an apparatus`, {
    next: "write it like http://localhost:8080/socket",
  });
}

function readTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InputError(`--timeout is ${text}`, { next: "write a duration like 60s" });
}
