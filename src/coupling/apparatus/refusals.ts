import type { Clock } from "#base";
import type { Waiter } from "./apparatus-client.ts";
import { ApparatusRefusal } from "./judge-answer.ts";

interface Refused {
  readonly id: string;
  readonly retry: string | undefined;
  readonly error: ApparatusRefusal;
  readonly until: number;
}

/** Shorter than the rest after a refusal. */
const rememberedMs = 3 * 60_000;

/** What apparatuses refused. Plugs are looked at for many reasons; what was refused is not asked again for each of them. */
export class Refusals {
  readonly #clock: Pick<Clock, "monotonic">;
  /** By who waits, and by what there is one of at a time. */
  readonly #refused = new Map<string, Map<string, Refused>>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Throws the same refusal again, unless it is long ago, something else is asked, or somebody wants it to be tried again. */
  async run<Result>(slot: string, id: string, waiter: Waiter, ask: () => Promise<Result>): Promise<Result> {
    const { uid, retry } = waiter;
    const last = this.#refused.get(uid)?.get(slot);
    const isSame = last?.id === id && last.retry === retry;
    if (last && isSame && this.#clock.monotonic() < last.until) throw last.error;
    this.#refused.get(uid)?.delete(slot);
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ApparatusRefusal) {
        const until = this.#clock.monotonic() + rememberedMs;
        const slots = this.#refused.get(uid) ?? new Map<string, Refused>();
        this.#refused.set(uid, slots.set(slot, { id, retry, error, until }));
      }
      throw error;
    }
  }

  forget(uid: string): void {
    this.#refused.delete(uid);
  }
}
