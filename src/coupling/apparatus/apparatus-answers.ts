import { type JsonObject, Secret } from "#base";
import type { Side } from "../kinds/names.ts";
import { valueText } from "../sources/resolved.ts";

/** What an apparatus answered to `/config`, and to which question. */
export interface ConfigAnswer {
  /** A fingerprint of all that the answer may depend on. */
  readonly question: string;
  readonly answer: JsonObject;
}

interface Known {
  readonly answers: Map<Side, ConfigAnswer>;
  round: number;
}

/**
 * What apparatuses answered, by the plug it was asked for: an attempt that takes several looks asks once, and a look at a plug
 * whose question is the same as ever asks nobody, and starts no pod. After a failure everything is asked anew.
 */
export class ConfigAnswers {
  readonly #known = new Map<string, Known>();

  /** `recall`: what was written down, for the first look at a plug. */
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

  /** What was answered last, to be written down. */
  last(plugUid: string, side: Side): ConfigAnswer | undefined {
    return this.#known.get(plugUid)?.answers.get(side);
  }

  /** How often everything was asked anew. */
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
      const text = valueText(value);
      return text === undefined ? [] : [[key, new Secret(text)] as const];
    }),
  );
}

export function isSameResult(one: StageResult, other: StageResult): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key)?.equals(value) === true);
}
