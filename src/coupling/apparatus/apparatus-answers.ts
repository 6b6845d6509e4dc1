import { type JsonObject, Secret } from "#base";
import type { Side } from "../kinds/names.ts";
import { valueText } from "../sources/resolved.ts";

/** An answer of an apparatus to `/config`, and its question. */
export interface ConfigAnswer {
  /** A fingerprint of everything that the answer may depend on. */
  readonly question: string;
  readonly answer: JsonObject;
}

interface Known {
  readonly answers: Map<Side, ConfigAnswer>;
  round: number;
}

/**
 * The answers of apparatuses to `/config`, by plug: an attempt over several reconciliations asks once, and a reconciliation
 * with an unchanged question asks no apparatus and starts no pod. After a failure, the apparatus is asked again.
 */
export class ConfigAnswers {
  readonly #known = new Map<string, Known>();

  /** `recall`: reads the stored answer, for the first reconciliation after a start. */
  async find(
    plugUid: string,
    side: Side,
    question: string,
    recall: () => Promise<JsonObject | undefined>,
  ): Promise<JsonObject | undefined> {
    const known = this.#of(plugUid);
    const last = known.answers.get(side);
    if (last) return last.question === question ? last.answer : undefined;
    const recalled = known.round === 0 ? await recall() : undefined;
    if (recalled) known.answers.set(side, { question, answer: recalled });
    return recalled;
  }

  keep(plugUid: string, side: Side, answer: ConfigAnswer): void {
    this.#of(plugUid).answers.set(side, answer);
  }

  /** The last answer, to be stored. */
  last(plugUid: string, side: Side): ConfigAnswer | undefined {
    return this.#known.get(plugUid)?.answers.get(side);
  }

  /** How often the answers were dropped after a failure. */
  roundOf(plugUid: string): number {
    return this.#of(plugUid).round;
  }

  fail(plugUid: string): void {
    const known = this.#known.get(plugUid);
    if (!known) return;
    known.answers.clear();
    known.round++;
  }

  forget(plugUid: string): void {
    this.#known.delete(plugUid);
  }

  #of(plugUid: string): Known {
    const known = this.#known.get(plugUid);
    if (known) return known;
    const made = { answers: new Map(), round: 0 };
    this.#known.set(plugUid, made);
    return made;
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
