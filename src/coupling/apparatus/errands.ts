import type { Clock, JsonObject } from "#base";
import { ApparatusWait, type Waiter } from "./apparatus.ts";

/** What an errand tells about itself while it runs. */
export interface Progress {
  /** What it waits for, for people. `isBad`: that will not pass soon, so that they should know at once. */
  waitsFor(what: string, isBad?: boolean): void;
  /** From now on, the apparatus may be doing what it was asked. */
  sent(): void;
}

export type Work = (progress: Progress, signal: AbortSignal) => Promise<JsonObject>;

interface Errand {
  readonly id: string;
  readonly ending: AbortController;
  readonly settled: Promise<void>;
  readonly timer: Disposable;
  waiter: Waiter;
  outcome?: { readonly value: JsonObject } | { readonly error: unknown };
  /** Who asked has gone, and wants to be woken. */
  isLeft: boolean;
  isSent: boolean;
  /** The wait is worth a word. */
  isTold: boolean;
  what: string;
}

/** How long whoever asks stays for the answer: most come sooner, and coming back costs another look at the plug. */
const staysMs = 500;
/** How long nobody needs to be told that there is a wait. */
const quietMs = 10_000;

/**
 * Calls that go on while nobody stands there and waits: however long an apparatus takes, it keeps no worker from other plugs.
 * Whoever asked asks again when woken, and gets the answer then; each answer is given once.
 */
export class Errands implements Disposable {
  readonly #clock: Clock;
  /** By who waits, and by what there is one of at a time. */
  readonly #errands = new Map<string, Map<string, Errand>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Of each slot of a waiter, such as the stages of one side, there is one errand at a time. One with another id is called off;
   * if it was sent already, its end is waited for, because stages must not overlap.
   */
  async run(slot: string, id: string, waiter: Waiter, work: Work, signal: AbortSignal): Promise<JsonObject> {
    const known = this.#errands.get(waiter.uid)?.get(slot);
    if (known && known.id !== id) {
      if (!known.outcome && known.isSent) throw leave(known, waiter);
      this.#drop(waiter.uid, slot);
    }
    const errand = known?.id === id ? known : this.#start(slot, id, waiter, work);
    if (errand !== known) await this.#stay(errand, signal);
    if (!errand.outcome) throw leave(errand, waiter);
    this.#drop(waiter.uid, slot);
    if ("error" in errand.outcome) throw errand.outcome.error;
    return errand.outcome.value;
  }

  /** Calls off all that somebody waits for. */
  forget(uid: string): void {
    for (const slot of this.#errands.get(uid)?.keys() ?? []) this.#drop(uid, slot);
  }

  [Symbol.dispose](): void {
    for (const uid of this.#errands.keys()) this.forget(uid);
  }

  #start(slot: string, id: string, waiter: Waiter, work: Work): Errand {
    const ending = new AbortController();
    const wakeIfLeft = (): void => {
      if (errand.isLeft) errand.waiter.wake();
    };
    const progress: Progress = {
      waitsFor(what, isBad = false) {
        const isNews = what !== errand.what && (isBad || errand.isTold);
        errand.what = what;
        errand.isTold ||= isBad;
        if (isNews) wakeIfLeft();
      },
      sent() {
        errand.isSent = true;
      },
    };
    const timer = this.#clock.after(quietMs, () => {
      if (errand.isTold) return;
      errand.isTold = true;
      wakeIfLeft();
    });
    const settle = (outcome: NonNullable<Errand["outcome"]>): void => {
      timer[Symbol.dispose]();
      errand.outcome = outcome;
      wakeIfLeft();
    };
    // Later, so that what it tells finds an errand.
    const settled = Promise.resolve()
      .then(() => work(progress, ending.signal))
      .then(
        (value) => settle({ value }),
        (error: unknown) => settle({ error }),
      );
    const state = { isLeft: false, isSent: false, isTold: false, what: "waiting for the apparatus" };
    const errand: Errand = { id, ending, settled, timer, waiter, ...state };
    const slots = this.#errands.get(waiter.uid);
    if (slots) slots.set(slot, errand);
    else this.#errands.set(waiter.uid, new Map([[slot, errand]]));
    return errand;
  }

  async #stay({ settled }: Errand, signal: AbortSignal): Promise<void> {
    const leaving = new AbortController();
    const either = AbortSignal.any([signal, leaving.signal]);
    const patience = this.#clock.sleep(staysMs, either).catch(() => {});
    await Promise.race([settled, patience]);
    leaving.abort();
    signal.throwIfAborted();
  }

  #drop(uid: string, slot: string): void {
    const slots = this.#errands.get(uid);
    const errand = slots?.get(slot);
    if (!errand) return;
    slots?.delete(slot);
    if (slots?.size === 0) this.#errands.delete(uid);
    errand.isLeft = false;
    errand.timer[Symbol.dispose]();
    errand.ending.abort(new Error("nobody waits for the answer any more"));
  }
}

function leave(errand: Errand, waiter: Waiter): ApparatusWait {
  errand.waiter = waiter;
  errand.isLeft = true;
  return new ApparatusWait(errand.isTold ? errand.what : undefined);
}
