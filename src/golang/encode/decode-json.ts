import type { JsonObject, JsonValue } from "#base";
import { jsonSyntaxError } from "./json-syntax-error.ts";

/** What encoding/json makes of a text: a value, and an error that may come with a value all the same. */
export interface DecodedJson {
  readonly value: JsonValue;
  readonly error: string | undefined;
}

/** Numbers that may be too large, and halves of characters, which Go replaces. */
const needsCare = /[eE]\+?[0-9]{3}|[0-9]{309}|\\u[dD][89a-fA-F]|\p{Surrogate}/u;

/** Reads JSON as Go does into an `interface{}`; all numbers are floats. */
export function decodeJson(text: string): DecodedJson {
  try {
    return needsCare.test(text) ? decodeCarefully(text.toWellFormed()) : { value: JSON.parse(text), error: undefined };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { value: null, error: jsonSyntaxError(text) };
  }
}

function decodeCarefully(text: string): DecodedJson {
  const value: JsonValue = JSON.parse(text, (_key, part: JsonValue) => {
    if (typeof part === "string") return part.toWellFormed();
    if (typeof part === "number") return Number.isFinite(part) ? part : null;
    return hasBrokenKey(part)
      ? Object.fromEntries(Object.entries(part).map(([key, field]) => [key.toWellFormed(), field]))
      : part;
  });
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|-?[0-9][-+.0-9eE]*/g) ?? [];
  const tooLarge = tokens.find((token) => !token.startsWith('"') && !Number.isFinite(Number(token)));
  const error = tooLarge && `json: cannot unmarshal number ${tooLarge} into Go value of type float64`;
  return { value, error };
}

function hasBrokenKey(value: JsonValue): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.keys(value).some((key) => !key.isWellFormed());
}
