import type { Column } from "./table.ts";
import { visibleText } from "./visible-text.ts";

/** A table as GitHub and GitLab understand it: https://github.github.com/gfm/#tables-extension- */
export function formatMarkdown<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const lines = [
    columns.map(({ header }) => header),
    columns.map(() => "---"),
    ...rows.map((row) => columns.map(({ value }) => plainText(`${value(row) ?? ""}`))),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/** Text that renders as it is: no cell, markup, link or HTML can begin in it. */
function plainText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => visibleText(line).replace(/[\\|`*_~[\]<>&]/g, "\\$&"))
    .join("<br>");
}
