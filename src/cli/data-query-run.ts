import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { describeQueryError, generateTypes, openQueryableSource, type QueryAnswer } from "#bundle";
import { printQueryTables } from "./data-query-table.ts";
import { readToken } from "./data-token.ts";
import type { Shell } from "./shell.ts";
import { printValue } from "./terminal/print.ts";

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
  /** What messages call it. */
  readonly name: string;
}

/** Asks, and prints the data of the answer. */
export async function runQuery(
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
  else await printValue(data, choice.output, shell);
}

async function readDocument(query: string | undefined, file: string | undefined, shell: Shell): Promise<Document> {
  if (query !== undefined && file !== undefined) {
    throw new InputError("there are two queries, an argument and a file", { next: "give one of them" });
  }
  if (query !== undefined && query !== "-") return { text: query, name: "query" };
  if (file !== undefined && file !== "-") {
    const content = await readFile(file, "utf8").catch((cause: unknown) => {
      throw new InputError("the query cannot be read", { where: file, next: "check the path", cause });
    });
    return { text: content, name: basename(file) };
  }
  if (shell.stdin.isTTY && query === undefined && file === undefined) {
    throw new InputError("there is no query", { next: "give it as an argument, by --file, or on standard input" });
  }
  return { text: await text(shell.stdin), name: "query" };
}

function readVariables(json: string | undefined): JsonObject {
  if (json === undefined) return {};
  let value: JsonValue = null;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new InputError("is no JSON", { where: "--variables", next: `write it like '{"name": "a"}'`, cause });
  }
  if (isJsonObject(value)) return value;
  throw new InputError("is no object", { where: "--variables", next: `write it like '{"name": "a"}'` });
}

function dataOf({ data, errors = [] }: QueryAnswer, name: string, shell: Shell): JsonObject {
  if (data && errors.length === 0) return data;
  for (const error of errors) shell.stderr.write(`${describeQueryError(error)}\n`);
  const amount = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  throw new InputError(`the answer has ${amount}, and is not printed`, {
    where: name,
    next: data === undefined ? "correct the query" : "correct the data files these places are read from",
  });
}

function noTypes(location: string): InputError {
  return new InputError("a running server does not give its GraphQL description away", {
    where: location,
    next: "give the directory, bundle file or git repository that it serves",
  });
}
