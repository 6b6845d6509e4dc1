import { InputError } from "#base";
import type { GoValue } from "#golang";

const scalar = /[ \t\r\n]*(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|"(?:[^"\\]|\\.)*")/y;

/** Reads the one JSON value that `text` begins with, whatever follows it. `length` counts characters, not code units. */
export function readJsonPrefix(text: string): { readonly value: GoValue; readonly length: number } {
  const json = text.slice(0, endOfValue(text));
  try {
    const value: GoValue = JSON.parse(json, (_, part: unknown) => {
      if (typeof part === "number" && !Number.isFinite(part)) throw new RangeError("a number is too large");
      return typeof part === "string" ? part.toWellFormed() : part;
    });
    return { value, length: Array.from(json).length };
  } catch (error) {
    throw new InputError("the value is not JSON", {
      next: 'quote strings and the names of fields, as in {"a": [1]}',
      cause: error,
    });
  }
}

/** Brackets are counted, and everything within strings is passed; whether it all is JSON, `JSON.parse` says. */
function endOfValue(text: string): number {
  scalar.lastIndex = 0;
  if (scalar.test(text)) return scalar.lastIndex;
  let depth = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (match[0] === "[" || match[0] === "{") depth += 1;
    else if (match[0] === "]" || match[0] === "}") depth -= 1;
    if (depth === 0) return match.index + match[0].length;
  }
  return text.length;
}
