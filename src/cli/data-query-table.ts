import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { Shell } from "./shell.ts";
import { printRows } from "./terminal/print.ts";

/** Cells of a row by their columns. */
type Row = ReadonlyMap<string, string>;

/** A table for each field of the answer: a row for each object, a column for each value, `cluster.name` for those further in. */
export async function printQueryTables(data: JsonObject, shell: Shell): Promise<void> {
  const fields = Object.entries(data);
  for (const [at, [name, value]] of fields.entries()) {
    const rows = (isJsonList(value) ? value : [value]).map((item) => toRow(item, name));
    const headers = [...new Set(rows.flatMap((row) => [...row.keys()]))];
    if (fields.length > 1) shell.stdout.write(`${at === 0 ? "" : "\n"}${name}\n`);
    const columns = headers.map((header) => ({ header, value: (row: Row) => row.get(header) }));
    await printRows({ rows, columns, whenEmpty: `${name}: none` }, "table", shell);
  }
}

function toRow(item: JsonValue, name: string): Row {
  const row = new Map<string, string>();
  if (isJsonObject(item)) addCells(item, "", row);
  else row.set(name, toCell(item));
  return row;
}

function addCells(object: JsonObject, prefix: string, row: Map<string, string>): void {
  for (const [key, value] of Object.entries(object)) {
    if (isJsonObject(value)) addCells(value, `${prefix}${key}.`, row);
    else row.set(`${prefix}${key}`, toCell(value));
  }
}

function toCell(value: JsonValue): string {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  const isFlat = isJsonList(value) && value.every((item) => typeof item !== "object");
  return isFlat ? value.map(toCell).join(", ") : JSON.stringify(value);
}
