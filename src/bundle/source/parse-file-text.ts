import { isUtf8 } from "node:buffer";
import { InputError, type JsonValue } from "#base";
import { parseYaml } from "#yaml";

/** Shallow enough for all recursive code, and the same limit as for YAML. */
const deepest = 500;

/** The text of a UTF-8 file. */
export function decodeFileText(content: Buffer, where: string): string {
  if (isUtf8(content)) return content.toString("utf8");
  const text = new TextDecoder("utf-8").decode(content);
  throw new InputError("not valid UTF-8", {
    where: `${where}${position(text, text.indexOf("\ufffd"))}`,
    next: "save the file as UTF-8",
  });
}

/**
 * Parses a file as JSON or YAML, by its name. YAML means what it means to PyYAML, with which qontract's tools read the same files;
 * `onSurprise` is called if some of it may not be what its author meant.
 */
export function parseFileText(text: string, where: string, onSurprise?: () => void): JsonValue {
  if (where.endsWith(".json")) return parseJsonText(text, where);
  return parseYaml(text, { file: where, library: "pyyaml", ...(onSurprise && { onSurprise }) });
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
