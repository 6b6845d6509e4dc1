import type { Clock, JsonObject } from "#base";
import { ApparatusWait, type Waiter } from "./apparatus-client.ts";

/** What an errand tells about itself while it runs. */
export interface CallProgress {
  /** What it waits for, for people. `isBad`: that will not pass soon, so that they should know at once. */
  waitsFor(what: string, isBad?: boolean): void;
  /** From now on, the apparatus may be doing what it was asked. */
  sent(): void;
}

export type Work = (progress: CallProgress, signal: AbortSignal) => Promise<JsonObject>;

interface InFlightCall {
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
export class InFlightCalls implements Disposable {
  readonly #clock: Clock;
  /** By who waits, and by what there is one of at a time. */
  readonly #calls = new Map<string, Map<string, InFlightCall>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Of each slot of a waiter, such as the stages of one side, there is one errand at a time. One with another id is called off;
   * if it was sent already, its end is waited for, because stages must not overlap.
   */
  async run(slot: string, id: string, waiter: Waiter, work: Work, signal: AbortSignal): Promise<JsonObject> {
    const known = this.#calls.get(waiter.uid)?.get(slot);
    if (known && known.id !== id) {
      if (!known.outcome && known.isSent) throw leave(known, waiter);
      this.#drop(waiter.uid, slot);
    }
    const call = known?.id === id ? known : this.#start(slot, id, waiter, work);
    if (call !== known) await this.#stay(call, signal);
    if (!call.outcome) throw leave(call, waiter);
    this.#drop(waiter.uid, slot);
    if ("error" in call.outcome) throw call.outcome.error;
    return call.outcome.value;
  }

  /** Calls off all that somebody waits for. */
  forget(uid: string): void {
    for (const slot of this.#calls.get(uid)?.keys() ?? []) this.#drop(uid, slot);
  }

  [Symbol.dispose](): void {
    for (const uid of this.#calls.keys()) this.forget(uid);
  }

  #start(slot: string, id: string, waiter: Waiter, work: Work): InFlightCall {
    const ending = new AbortController();
    const wakeIfLeft = (): void => {
      if (call.isLeft) call.waiter.wake();
    };
    const progress: CallProgress = {
      waitsFor(what, isBad = false) {
        const isNews = what !== call.what && (isBad || call.isTold);
        call.what = what;
        call.isTold ||= isBad;
        if (isNews) wakeIfLeft();
      },
      sent() {
        call.isSent = true;
      },
    };
    const timer = this.#clock.after(quietMs, () => {
      if (call.isTold) return;
      call.isTold = true;
      wakeIfLeft();
    });
    const settle = (outcome: NonNullable<InFlightCall["outcome"]>): void => {
      timer[Symbol.dispose]();
      call.outcome = outcome;
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
    const call: InFlightCall = { id, ending, settled, timer, waiter, ...state };
    const slots = this.#calls.get(waiter.uid);
    if (slots) slots.set(slot, call);
    else this.#calls.set(waiter.uid, new Map([[slot, call]]));
    return call;
  }

  async #stay({ settled }: InFlightCall, signal: AbortSignal): Promise<void> {
    const leaving = new AbortController();
    const either = AbortSignal.any([signal, leaving.signal]);
    const patience = this.#clock.sleep(staysMs, either).catch(() => {});
    await Promise.race([settled, patience]);
    leaving.abort();
    signal.throwIfAborted();
  }

  #drop(uid: string, slot: string): void {
    const slots = this.#calls.get(uid);
    const call = slots?.get(slot);
    if (!call) return;
    slots?.delete(slot);
    if (slots?.size === 0) this.#calls.delete(uid);
    call.isLeft = false;
    call.timer[Symbol.dispose]();
    call.ending.abort(new Error("the call was cancelled"));
  }
}

function leave(call: InFlightCall, waiter: Waiter): ApparatusWait {
  call.waiter = waiter;
  call.isLeft = true;
  return new ApparatusWait(call.isTold ? call.what : undefined);
}
