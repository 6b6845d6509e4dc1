import type { Column } from "./format-table.ts";
import { visibleText } from "./visible-text.ts";

/** A table in the Markdown of GitHub and GitLab: https://github.github.com/gfm/#tables-extension- */
export function formatMarkdown<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const lines = [
    columns.map(({ header }) => header),
    columns.map(() => "---"),
    ...rows.map((row) => columns.map(({ value }) => plainText(`${value(row) ?? ""}`))),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/** Escapes the text, so that it cannot start a cell, markup, a link or HTML. */
function plainText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => visibleText(line).replace(/[\\|`*_~[\]<>&]/g, "\\$&"))
    .join("<br>");
}
