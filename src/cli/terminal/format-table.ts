import { cutText, textWidth } from "./text-width.ts";
import { visibleText } from "./visible-text.ts";
import type { Colour } from "./paint.ts";

export interface Column<Row> {
  /** Lower case, whole words. */
  readonly header: string;
  readonly value: (row: Row) => string | number | undefined;
  readonly colour?: (row: Row) => Colour | undefined;
}

export interface TableStyle {
  /** Cells are cut, widest column first, until a line fits. */
  readonly width?: number;
  readonly paint?: (colour: Colour, text: string) => string;
}

const gap = "  ";
const narrowest = 8;

/** Aligned columns without borders; an empty cell is a dash, so that `awk` finds the next one in its place. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width = Infinity, paint = (_, text) => text }: TableStyle = {},
): string {
  const table = columns.map((column) => ({
    colour: column.colour,
    cells: rows.map((row) => visibleText(`${column.value(row) ?? ""}`) || "-"),
    header: column.header.toUpperCase().replaceAll(" ", "-"),
  }));
  const widths = fit(
    table.map(({ cells, header }) => Math.max(...[header, ...cells].map(textWidth))),
    width,
  );
  const lines = [
    table.map(({ header }) => ({ text: header, colour: undefined })),
    ...rows.map((row, index) =>
      table.map(({ cells, colour }) => ({ text: cells[index] ?? "", colour: colour?.(row) })),
    ),
  ];
  return lines
    .map((line) => {
      const cells = line.map(({ text, colour }, index) => {
        const cut = cutText(text, widths[index] ?? 0);
        const padding = " ".repeat(index === line.length - 1 ? 0 : (widths[index] ?? 0) - textWidth(cut));
        return (colour ? paint(colour, cut) : cut) + padding;
      });
      return `${cells.join(gap)}\n`;
    })
    .join("");
}

function fit(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1)) - width;
  for (; excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= narrowest) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
