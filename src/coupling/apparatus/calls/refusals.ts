import type { Clock } from "#base";
import type { Waiter } from "./apparatus-client.ts";
import { ApparatusRefusal } from "./judge-answer.ts";

interface Refused {
  readonly id: string;
  readonly retry: string | undefined;
  readonly error: ApparatusRefusal;
  readonly until: number;
}

/** Shorter than the retry delay after a refusal. */
const rememberedMs = 3 * 60_000;

/** Remembers refusals of apparatuses, so that a reconciliation for another reason does not repeat a refused call. */
export class Refusals {
  readonly #clock: Pick<Clock, "monotonic">;
  /** By the uid of the waiter, and by slot. */
  readonly #refused = new Map<string, Map<string, Refused>>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Throws the same refusal again, unless it has expired, the call is another one, or the user requested a retry. */
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
