import { InputError, redact } from "#base";
import {
  BundleValidator,
  errorRow,
  openBundleSource,
  type ReportedFinding,
  reportFindings,
  resultRows,
  type ValidationReport,
} from "#bundle";
import type { OutputFormat } from "./output-option.ts";
import type { Shell } from "./shell.ts";
import { paint } from "./terminal/paint.ts";
import { printRows, printValue } from "./terminal/print.ts";
import { visibleText } from "./terminal/visible-text.ts";

export interface ValidateChoice {
  readonly schemas?: string;
  readonly onlyErrors: boolean;
  readonly output: OutputFormat;
}

/** Prints what is wrong, and fails when something is. */
export async function validateData(location: string, choice: ValidateChoice, shell: Shell): Promise<void> {
  const { schemas, onlyErrors, output } = choice;
  const source = openBundleSource(location, { env: shell.env, ...(schemas !== undefined && { schemas }) });
  const reading = await source.read(shell.signal);
  const validation = new BundleValidator().validate(reading.bundle);
  const report = await reportFindings(reading, validation, shell.signal);
  if (output === "table") {
    printFindings(report, shell);
  } else if (output === "markdown") {
    await printMarkdown([...report.errors, ...report.warnings], shell);
  } else {
    await printValue(onlyErrors ? report.errors.map(errorRow) : resultRows(validation, report.errors), output, shell);
    printFindings({ errors: [], warnings: report.warnings }, { ...shell, stdout: shell.stderr });
  }
  const size = reading.bundle.datafiles.size + reading.bundle.resources.size;
  const files = count(size, "file");
  const warnings = report.warnings.length === 0 ? "" : ` and ${count(report.warnings.length, "warning")}`;
  if (report.errors.length > 0) {
    throw new InputError(`${count(report.errors.length, "error")}${warnings} in ${files} of ${source.description}`);
  }
  const verb = size === 1 ? "is" : "are";
  const doubts = warnings === "" ? "" : `, with${warnings.slice(" and".length)}`;
  shell.stderr.write(`${files} of ${source.description} ${verb} valid${doubts}\n`);
}

/** Not as a table: what to do must not be cut off, and editors and terminals find their way by `file:line:column:`. */
function printFindings({ errors, warnings }: ValidationReport, { stdout, env }: Pick<Shell, "stdout" | "env">): void {
  for (const [findings, word, colour] of [
    [errors, "error", "red"],
    [warnings, "warning", "yellow"],
  ] as const) {
    for (const { where, what, next, reason } of findings) {
      const code = reason === undefined ? "" : ` (${reason})`;
      stdout.write(`${plain(where)}: ${paint(colour, word, stdout, env)}: ${plain(what)}${code}\n`);
      if (next !== undefined) stdout.write(`  ${plain(next)}\n`);
    }
  }
}

/** Data comes from others: no secret, and no control characters for the terminal. */
function plain(text: string): string {
  return visibleText(redact(text));
}

async function printMarkdown(findings: readonly ReportedFinding[], shell: Shell): Promise<void> {
  const columns = [
    { header: "where", value: ({ where }: ReportedFinding) => where },
    { header: "reason", value: ({ reason }: ReportedFinding) => reason ?? "warning" },
    { header: "what", value: ({ what }: ReportedFinding) => what },
    { header: "next step", value: ({ next }: ReportedFinding) => next },
  ];
  await printRows({ rows: findings, columns, whenEmpty: "" }, "markdown", shell);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
