import { isUtf8 } from "node:buffer";
import { InputError, type JsonValue } from "#base";
import { parseYaml } from "#yaml";

/** Shallow enough for all recursive code, and the same limit as for YAML. */
const deepest = 500;
const mostEscapedSlashes = 100;

/** The text of a UTF-8 file. */
export function decodeFileText(content: Buffer, where: string): string {
  if (isUtf8(content)) return content.toString("utf8");
  const text = new TextDecoder("utf-8").decode(content);
  throw new InputError("not valid UTF-8", {
    where: `${where}${position(text, text.indexOf("\ufffd"))}`,
    next: "save the file as UTF-8",
  });
}

/** Parses a file as JSON or YAML, by its name. */
export function parseFileText(text: string, where: string): JsonValue {
  return where.endsWith(".json") ? parseJsonText(text, where) : parseDataYaml(text, where);
}

/** Go's YAML rejects a key that replaces a merged one as a duplicate, although that is what merges are for. */
const mergeKey = /^[ \t-]*<<[ \t]*:/m;

/**
 * Parses YAML as kubectl does, and accepts two things more, as qontract's bundler in Python does: keys that replace merged
 * ones, and the escape `"\/"`, which schemas of app-interface use and Go rejects. Each escape is removed at the position of
 * the parser's error, up to a limit per file.
 */
function parseDataYaml(original: string, file: string): JsonValue {
  const duplicateKeys = mergeKey.test(original) ? "last-wins" : "refuse";
  let text = original;
  for (let repaired = 0; ; repaired++) {
    try {
      return parseYaml(text, { file, duplicateKeys });
    } catch (error) {
      const at = repaired < mostEscapedSlashes ? escapedSlash(text, error) : undefined;
      if (at === undefined) throw error;
      text = text.slice(0, at) + text.slice(at + 1);
    }
  }
}

function escapedSlash(text: string, error: unknown): number | undefined {
  if (!(error instanceof InputError && error.what.includes("found unknown escape character"))) return undefined;
  const [, line, column] = /:(\d+):(\d+)$/.exec(error.where ?? "") ?? [];
  const before = text.split("\n").slice(0, Number(line) - 1);
  const at = before.reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1;
  return text.startsWith("\\/", at) ? at : undefined;
}

export function parseJsonText(text: string, where: string): JsonValue {
  const value = readJson(text, where);
  if (!isDeeperThan(value, deepest)) return value;
  throw new InputError(`nested more than ${deepest} levels deep`, { where, next: "make it flatter" });
}

function readJson(text: string, where: string): JsonValue {
  try {
    return JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const at = /at position (\d+)/.exec(cause.message)?.[1];
    const what = cause.message.replace(/ at position.*$/, "").replace(/ in JSON$/, "");
    throw new InputError(`not valid JSON: ${what}`, {
      where: at === undefined ? where : where + position(text, Number(at)),
      next: "fix the file",
      cause,
    });
  }
}

function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1));
}

function position(text: string, at: number): string {
  const lines = text.slice(0, at).split("\n");
  return `:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}
