import { redact } from "#base";
import { writeYaml } from "#yaml";
import type { OutputFormat } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import { paint } from "./paint.ts";
import { formatMarkdown } from "./markdown.ts";
import { type Column, formatTable } from "./table.ts";

export interface Rows<Row> {
  readonly rows: readonly Row[];
  /** What tables show of a row. JSON and YAML show all of it, keys in their order. */
  readonly columns: readonly Column<Row>[];
  /** Said instead of an empty table. */
  readonly whenEmpty: string;
}

/** Prints rows in the format the user asked for; known secrets are masked in all of them. */
export async function printRows<Row>(
  { rows, columns, whenEmpty }: Rows<Row>,
  format: OutputFormat,
  { stdout, stderr, env }: Pick<Shell, "stdout" | "stderr" | "env">,
): Promise<void> {
  if (format === "table" && rows.length === 0) {
    stderr.write(`${whenEmpty}\n`);
    return;
  }
  const masked = columns.map((column) => ({ ...column, value: (row: Row) => redact(`${column.value(row) ?? ""}`) }));
  switch (format) {
    case "table": {
      const width = (stdout.isTTY && stdout.columns) || Infinity;
      stdout.write(
        formatTable(rows, masked, {
          width,
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

/** Prints a value that is no rows; known secrets are masked. */
export async function printValue(
  value: unknown,
  format: "json" | "yaml",
  { stdout }: Pick<Shell, "stdout">,
): Promise<void> {
  stdout.write(format === "json" ? `${toJson(value)}\n` : toYaml(value));
}

/** Values are masked one by one: in the finished text, a mask could swallow a quote. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? redact(part) : part), 2);
}

/** By way of JSON, so that both formats say the same. */
function toYaml(value: unknown): string {
  return writeYaml(JSON.parse(toJson(value)));
}
