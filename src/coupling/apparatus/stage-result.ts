import { type JsonObject, type JsonValue, type Redact, redact as redactAll, Secret } from "#base";
import { isJsonObject } from "../kinds/json-object.ts";
import { textOf } from "../sources/text-of.ts";
import { foreignWords } from "./foreign-words.ts";

/** What an apparatus adds to the result of its side by its answer to `coupled` or `updated`; all of it is secret. */
export type StageResult = ReadonlyMap<string, Secret>;

/** A Secret holds 1 MiB; the configs, the other side's result and the other sources must fit beside it. */
const largestBytes = 256 * 2 ** 10;
/** Each is shown by a fingerprint in the plug's status. */
const mostKeys = 1_000;

/** What is wrong with the `result` of an answer, in words that follow "a result"; undefined if nothing is. Never says a value. */
export function findResultProblem(result: JsonValue, redact: Redact = redactAll): string | undefined {
  if (!isJsonObject(result)) return "that is no object of keys and values";
  const [key] = Object.entries(result).find(([, value]) => typeof value === "object" && value !== null) ?? [];
  if (key !== undefined) return `in which a value is neither text nor number nor boolean${foreignWords(key, redact)}`;
  const count = Object.keys(result).length;
  if (count > mostKeys) return `of ${count} keys, where ${mostKeys} are allowed`;
  const bytes = Buffer.byteLength(JSON.stringify(result));
  return bytes > largestBytes ? `of ${bytes} bytes, where ${largestBytes} are allowed` : undefined;
}

/** The values as text; null is none. */
export function toStageResult(result: JsonObject): StageResult {
  return new Map(
    Object.entries(result).flatMap(([key, value]) => {
      const text = textOf(value);
      return text === undefined ? [] : [[key, new Secret(text)] as const];
    }),
  );
}

export function isSameResult(one: StageResult, other: StageResult): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key)?.equals(value) === true);
}
