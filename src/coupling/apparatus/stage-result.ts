import { type JsonObject, Secret } from "#base";
import { textOf } from "../sources/text-of.ts";

/** What an apparatus adds to the result of its side by its answer to `coupled` or `updated`; all of it is secret. */
export type StageResult = ReadonlyMap<string, Secret>;

/** A Secret holds 1 MiB; the configs, the other side's result and the other sources must fit beside it. */
const largestBytes = 256 * 2 ** 10;
/** Each is shown by a fingerprint in the plug's status. */
const mostKeys = 1_000;

/** What is wrong with the `result` of an answer, in words that follow "a result"; undefined if nothing is. Never says a value. */
export function findResultProblem(result: JsonObject): string | undefined {
  const count = Object.keys(result).length;
  if (count > mostKeys) return `of ${count} keys, where ${mostKeys} are allowed`;
  const bytes = Buffer.byteLength(JSON.stringify(result));
  return bytes > largestBytes ? `of ${bytes} bytes, where ${largestBytes} are allowed` : undefined;
}

/** The values as text, lists and objects as JSON; null is none. */
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
