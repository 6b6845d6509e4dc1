import type { Clock, JsonObject } from "#base";
import type { WaitProgress } from "../pods/start-pod.ts";
import { ApparatusWait, type Waiter } from "./apparatus-client.ts";

/** What a call reports while it runs. */
export interface CallProgress extends WaitProgress {
  /** From now on, the apparatus may be working. */
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
  /** The waiter has left, and must be woken. */
  isLeft: boolean;
  isSent: boolean;
  /** The wait is reported. */
  isTold: boolean;
  what: string;
}

/** How long a worker waits for the answer: most arrive sooner, and leaving costs another reconciliation. */
const staysMs = 500;
/** A shorter wait is not reported. */
const quietMs = 10_000;

/**
 * Calls that continue in the background: however long an apparatus takes, it blocks no worker.
 * The waiter is woken and repeats the call to get the answer; each answer is returned once.
 */
export class InFlightCalls implements Disposable {
  readonly #clock: Clock;
  /** By the uid of the waiter, and by slot. */
  readonly #calls = new Map<string, Map<string, InFlightCall>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Each slot of a waiter, such as the stages of one side, has one call at a time. A call with another id is cancelled; if it was
   * already sent, the new one waits for its end, because stages must not overlap.
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

  /** Cancels all calls of a waiter. */
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
    // Deferred, so that `call` exists when the work reports progress.
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
