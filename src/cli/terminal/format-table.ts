import { cutStart, cutText, textWidth, wrapText } from "./text-width.ts";
import { visibleText } from "./visible-text.ts";
import type { Colour } from "./paint.ts";

export interface Column<Row> {
  /** Lower case, whole words. */
  readonly header: string;
  readonly value: (row: Row) => string | number | undefined;
  readonly colour?: (row: Row) => Colour | undefined;
  /** Which part of a cell stays when the table is too wide: its beginning (default), its end, as of a path, or all of it. */
  readonly keep?: "start" | "end" | "all";
  /** Sentences. If the table is too wide with this column, they are printed below it, each on a line of its own. */
  readonly below?: (row: Row) => readonly string[];
  /** Left out where the table is too wide even with its other cells cut; JSON and YAML have it. */
  readonly isDispensable?: boolean;
}

export interface TableStyle {
  /** Cells are cut, widest column first, until a line fits. */
  readonly width?: number;
  /** From this width on, columns that may be below the table are; default: `width`. */
  readonly foldAt?: number;
  readonly paint?: (colour: Colour, text: string) => string;
}

const gap = "  ";
const narrowest = 8;
const enough = 12;

interface Cells<Row> {
  readonly column: Column<Row>;
  readonly header: string;
  readonly cells: readonly string[];
  readonly width: number;
}

/** Aligned columns without borders; an empty cell is a dash, so that `awk` finds the next one in its place. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width = Infinity, foldAt = width, paint = (_, text) => text }: TableStyle = {},
): string {
  const all = columns.map((column): Cells<Row> => {
    const cells = rows.map((row) => visibleText(`${column.value(row) ?? ""}`) || "-");
    const header = column.header.toUpperCase().replaceAll(" ", "-");
    return { column, header, cells, width: Math.max(...[header, ...cells].map(textWidth)) };
  });
  const isFolded = lineWidth(all.map((each) => each.width)) > foldAt;
  // People do not miss a column of dashes; programs read a table without a width, where columns keep their places.
  const isSilent = ({ below }: Column<Row>): boolean =>
    width < Infinity && below !== undefined && rows.every((row) => below(row).length === 0);
  const unfolded = all.filter(({ column }) => !((isFolded && column.below) || isSilent(column)));
  const isTooWide = lineWidth(fit(unfolded, width)) > width;
  const table = unfolded.filter(({ column }) => !(isTooWide && column.isDispensable));
  const widths = fit(table, width);
  const lines = [
    table.map(({ header, column }) => ({ text: header, colour: undefined, keep: column.keep })),
    ...rows.map((row, index) =>
      table.map(({ cells, column }) => ({ text: cells[index] ?? "", colour: column.colour?.(row), keep: column.keep })),
    ),
  ];
  const printed = lines.map((line) => {
    const cells = line.map(({ text, colour, keep }, index) => {
      const cut = keep === "end" ? cutStart(text, widths[index] ?? 0) : cutText(text, widths[index] ?? 0);
      const padding = " ".repeat(index === line.length - 1 ? 0 : (widths[index] ?? 0) - textWidth(cut));
      return (colour ? paint(colour, cut) : cut) + padding;
    });
    return `${cells.join(gap)}\n`;
  });
  return printed.join("") + (isFolded ? sentencesBelow(rows, all, { width: foldAt, paint }) : "");
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1));
}

/** First the columns that lose their ends are cut, to a length that still says something: of a path, the end is the point. */
function fit<Row>(table: readonly Cells<Row>[], width: number): number[] {
  const widths = table.map((each) => each.width);
  const keeps = table.map(({ column: { keep = "start" } }) => keep);
  for (const { least, isCut } of [
    { least: enough, isCut: keeps.map((keep) => keep === "start") },
    { least: narrowest, isCut: keeps.map((keep) => keep !== "all") },
  ]) {
    for (let excess = lineWidth(widths) - width; excess > 0; excess--) {
      const widest = Math.max(...widths.filter((_, index) => isCut[index]));
      if (widest <= least) break;
      widths[widths.findIndex((each, index) => isCut[index] && each === widest)] = widest - 1;
    }
  }
  return widths;
}

/** Each row by the columns that are never cut, and what there is to say about it. */
function sentencesBelow<Row>(
  rows: readonly Row[],
  table: readonly Cells<Row>[],
  { width, paint }: Required<Pick<TableStyle, "width" | "paint">>,
): string {
  const named = table.filter(({ column }) => column.keep === "all");
  return rows
    .map((row, index) => {
      const sentences = table.flatMap(({ column }) =>
        (column.below?.(row) ?? []).map((sentence) => {
          const text = wrapText(visibleText(sentence), width, "  ");
          const colour = column.colour?.(row);
          return `${colour ? paint(colour, text) : text}\n`;
        }),
      );
      const name = named.map(({ cells }) => cells[index]).join(" ");
      return sentences.length === 0 ? "" : `\n${name}\n${sentences.join("")}`;
    })
    .join("");
}
