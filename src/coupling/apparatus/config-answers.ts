import type { JsonObject } from "#base";
import type { Side } from "../kinds/names.ts";

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
