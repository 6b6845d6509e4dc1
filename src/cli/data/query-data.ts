import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { describeQueryError, generateTypes, openQueryableSource, type QueryAnswer } from "#bundle";
import { readToken } from "./read-token.ts";
import type { Shell } from "../shell.ts";
import { printRows, printDocument } from "../terminal/print-rows.ts";

export interface QueryChoice {
  readonly file?: string;
  readonly variables?: string;
  readonly schemas?: string;
  readonly tokenFile?: string;
  readonly types: boolean;
  readonly output: "json" | "yaml" | "table";
}

interface Document {
  readonly text: string;
  /** Its name in messages. */
  readonly name: string;
}

/** Runs a query, and prints the data of its result. */
export async function queryData(
  location: string,
  query: string | undefined,
  choice: QueryChoice,
  shell: Shell,
): Promise<void> {
  const document = await readDocument(query, choice.file, shell);
  const variables = readVariables(choice.variables);
  const token = await readToken(choice.tokenFile, shell.env);
  const source = openQueryableSource(location, {
    env: shell.env,
    ...(choice.schemas === undefined ? {} : { schemas: choice.schemas }),
    ...(token === undefined ? {} : { token }),
  });
  const queryable = await source.load(shell.signal);
  if (choice.types) {
    if (queryable.bundle === undefined) throw noTypes(location);
    shell.stdout.write(generateTypes(document.text, queryable.bundle.types, document.name));
    return;
  }
  const data = dataOf(await queryable.query(document.text, variables, shell.signal), document.name, shell);
  if (choice.output === "table") await printQueryTables(data, shell);
  else await printDocument(data, choice.output, shell);
}

async function readDocument(query: string | undefined, file: string | undefined, shell: Shell): Promise<Document> {
  if (query !== undefined && file !== undefined) {
    throw new InputError("expected one query, got both an argument and --file", { next: "leave one of them out" });
  }
  if (query !== undefined && query !== "-") return { text: query, name: "query" };
  if (file !== undefined && file !== "-") {
    const content = await readFile(file, "utf8").catch((cause: unknown) => {
      throw new InputError("cannot read the query", { where: file, next: "check the path", cause });
    });
    return { text: content, name: basename(file) };
  }
  const mayBeTyped = !shell.stdin.isTTY || query !== undefined || file !== undefined;
  const read = mayBeTyped ? await text(shell.stdin) : "";
  if (read.trim() !== "") return { text: read, name: "query" };
  throw new InputError("no query given", { next: "give it as an argument, with --file, or on standard input" });
}

function readVariables(json: string | undefined): JsonObject {
  if (json === undefined) return {};
  let value: JsonValue = null;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new InputError("not valid JSON", { where: "--variables", next: `write it like '{"name": "a"}'`, cause });
  }
  if (isJsonObject(value)) return value;
  throw new InputError("expected a JSON object", { where: "--variables", next: `write it like '{"name": "a"}'` });
}

function dataOf({ data, errors = [] }: QueryAnswer, name: string, shell: Shell): JsonObject {
  if (data && errors.length === 0) return data;
  for (const error of errors) shell.stderr.write(`${describeQueryError(error)}\n`);
  const amount = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  throw new InputError(`the result has ${amount}, so it is not printed`, {
    where: name,
    next: data === undefined ? "correct the query" : "correct the data files that these fields are read from",
  });
}

function noTypes(location: string): InputError {
  return new InputError("a running server does not offer its GraphQL types", {
    where: location,
    next: "use the directory, bundle file or git repository that it serves",
  });
}

/** Cells by column. */
type Row = ReadonlyMap<string, string>;

/** A table per field of the result: a row per object, a column per value, such as `cluster.name` for nested ones. */
async function printQueryTables(data: JsonObject, shell: Shell): Promise<void> {
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
