import { redact } from "#base";
import { writeYaml } from "#yaml";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { paint } from "./paint.ts";
import { formatMarkdown } from "./format-markdown.ts";
import { type Column, formatTable } from "./format-table.ts";

export interface Rows<Row> {
  readonly rows: readonly Row[];
  /** The columns of a table. JSON and YAML print whole rows. */
  readonly columns: readonly Column<Row>[];
  /** Printed on standard error instead of an empty table. */
  readonly whenEmpty: string;
}

/** Of a log or a page, where nothing is cut, but sentences are below the table as on a terminal. */
const usualWidth = 120;

/** Prints rows in one of the output formats, with known secrets masked. */
export async function printRows<Row>(
  { rows, columns, whenEmpty }: Rows<Row>,
  format: OutputFormat,
  { stdout, stderr, env }: Pick<Shell, "stdout" | "stderr" | "env">,
): Promise<void> {
  if (format === "table" && rows.length === 0) {
    stderr.write(`${whenEmpty}\n`);
    return;
  }
  const masked = columns.map((column): Column<Row> => {
    const { below } = column;
    return {
      ...column,
      value: (row) => redact(`${column.value(row) ?? ""}`),
      ...(below && { below: (row) => below(row).map(redact) }),
    };
  });
  switch (format) {
    case "table": {
      const columnsOfTerminal = (stdout.isTTY && stdout.columns) || undefined;
      stdout.write(
        formatTable(rows, masked, {
          width: columnsOfTerminal ?? Infinity,
          foldAt: columnsOfTerminal ?? usualWidth,
          paint: (colour, text) => paint(colour, text, stdout, env),
        }),
      );
      break;
    }
    case "markdown":
      stdout.write(formatMarkdown(rows, masked));
      break;
    case "json":
      stdout.write(`${toJson(rows)}\n`);
      break;
    case "yaml":
      stdout.write(toYaml(rows));
      break;
  }
}

/** Prints one JSON or YAML document, with known secrets masked. */
export async function printDocument(
  value: unknown,
  format: "json" | "yaml",
  { stdout }: Pick<Shell, "stdout">,
): Promise<void> {
  stdout.write(format === "json" ? `${toJson(value)}\n` : toYaml(value));
}

/** Masks each string before it is quoted: a mask over the finished text could remove a quote. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? redact(part) : part), 2);
}

/** Via JSON, so that both formats have the same content. */
function toYaml(value: unknown): string {
  return writeYaml(JSON.parse(toJson(value)));
}
