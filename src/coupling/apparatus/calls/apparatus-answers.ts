import { type JsonObject, Secret } from "#base";
import type { Side } from "../../kinds/index.ts";
import { valueText } from "../../sources/resolved.ts";

/** An answer of an apparatus to `/config`, and its question. */
export interface ConfigAnswer {
  /** A fingerprint of everything that the answer may depend on. */
  readonly question: string;
  readonly answer: JsonObject;
}

/**
 * The answers of apparatuses to `/config` for one plug: an attempt over several reconciliations asks once, and a reconciliation
 * with an unchanged question asks no apparatus and starts no pod. After a failure, the apparatus is asked again.
 */
export class ConfigAnswers {
  readonly #answers = new Map<Side, ConfigAnswer>();
  #round = 0;

  /** `recall`: reads the stored answer, for the first reconciliation after a start. */
  async find(
    side: Side,
    question: string,
    recall: () => Promise<JsonObject | undefined>,
  ): Promise<JsonObject | undefined> {
    const last = this.#answers.get(side);
    if (last) return last.question === question ? last.answer : undefined;
    const recalled = this.#round === 0 ? await recall() : undefined;
    if (recalled) this.keep(side, { question, answer: recalled });
    return recalled;
  }

  keep(side: Side, answer: ConfigAnswer): void {
    this.#answers.set(side, answer);
  }

  /** The last answer, to be stored. */
  last(side: Side): ConfigAnswer | undefined {
    return this.#answers.get(side);
  }

  /** How often the answers were dropped after a failure. */
  get round(): number {
    return this.#round;
  }

  fail(): void {
    this.#answers.clear();
    this.#round++;
  }
}

/** What an apparatus adds to the result of its side by its answer to `coupled` or `updated`; all of it is secret. */
export type StageResult = ReadonlyMap<string, Secret>;

/** A Secret holds 1 MiB; the configs, the other side's result and the other sources must fit beside it. */
const largestBytes = 256 * 2 ** 10;
/** Each is shown by a fingerprint in the plug's status. */
const mostKeys = 1_000;

/** The problem of a `result`, worded to follow "a result"; undefined if it is valid. It never contains a value. */
export function findResultProblem(result: JsonObject): string | undefined {
  const count = Object.keys(result).length;
  if (count > mostKeys) return `of ${count} keys, where ${mostKeys} are allowed`;
  const bytes = Buffer.byteLength(JSON.stringify(result));
  return bytes > largestBytes ? `of ${bytes} bytes, where ${largestBytes} are allowed` : undefined;
}

/** The values as text, lists and objects as JSON; null values are left out. */
export function toStageResult(result: JsonObject): StageResult {
  return new Map(
    Object.entries(result).flatMap(([key, value]) => {
      const text = valueText(value);
      return text === undefined ? [] : [[key, new Secret(text)] as const];
    }),
  );
}

export function isSameResult(one: StageResult, other: StageResult): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key)?.equals(value) === true);
}
