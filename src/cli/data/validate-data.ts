import { InputError } from "#base";
import {
  BundleValidator,
  errorRow,
  openBundleSource,
  type ReportedFinding,
  reportFindings,
  resultRows,
  type ValidationReport,
} from "#bundle";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { paint } from "../terminal/paint.ts";
import { printRows, printDocument } from "../terminal/print-rows.ts";
import { safeText } from "../terminal/visible-text.ts";

export interface ValidateChoice {
  readonly schemas?: string;
  readonly onlyErrors: boolean;
  readonly output: OutputFormat;
}

/** Prints errors and warnings, and fails if there are errors. */
export async function validateData(location: string, choice: ValidateChoice, shell: Shell): Promise<void> {
  const { schemas, onlyErrors, output } = choice;
  const options = { env: shell.env, hasCommit: false, ...(schemas !== undefined && { schemas }) };
  const source = openBundleSource(location, options);
  const reading = await source.read(shell.signal);
  const validation = new BundleValidator().validate(reading.bundle);
  const report = await reportFindings(reading, validation, shell.signal);
  if (output === "table") {
    printFindings(report, shell);
  } else if (output === "markdown") {
    await printMarkdown([...report.errors, ...report.warnings], shell);
  } else {
    await printDocument(
      onlyErrors ? report.errors.map(errorRow) : resultRows(validation, report.errors),
      output,
      shell,
    );
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

/** Not a table: next steps must not be cut off, and editors recognise `file:line:column:`. */
function printFindings({ errors, warnings }: ValidationReport, { stdout, env }: Pick<Shell, "stdout" | "env">): void {
  for (const [findings, word, colour] of [
    [errors, "error", "red"],
    [warnings, "warning", "yellow"],
  ] as const) {
    for (const { where, what, next, reason } of findings) {
      const code = reason === undefined ? "" : ` (${reason})`;
      stdout.write(`${safeText(where)}: ${paint(colour, word, stdout, env)}: ${safeText(what)}${code}\n`);
      if (next !== undefined) stdout.write(`  ${safeText(next)}\n`);
    }
  }
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
