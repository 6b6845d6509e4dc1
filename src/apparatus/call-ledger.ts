import type { Clock, JsonObject } from "#base";

/** What is sent back. Failures are not remembered: the next call tries again. */
export interface CallAnswer {
  readonly status: 200 | 400 | 422 | 500;
  readonly body: JsonObject;
}

export interface LedgerCall {
  /** The pair that the call is about; calls about the same pair never overlap. */
  readonly subject: string;
  readonly id: string | undefined;
  /** Of the request's content: callers may reuse an id when only a Secret has changed. */
  readonly digest: string;
  /** A call without effects, such as `config`; it is not answered from memory. */
  readonly isQuestion: boolean;
}

interface Run {
  readonly call: LedgerCall;
  readonly ending: AbortController;
  readonly answer: Promise<CallAnswer>;
}

/**
 * Runs each call once: a repeated call joins the one that runs, or gets the answer of the one that succeeded.
 * Only the last call about a subject is remembered: after `decoupled`, an earlier `coupled` runs again.
 */
export class CallLedger {
  readonly #clock: Clock;
  readonly #limit: number;
  /** The last of each subject, the oldest first. */
  readonly #last = new Map<string, Run>();
  readonly #running = new Set<Run>();

  constructor(clock: Clock, limit = 1_000) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Undefined if it takes longer than `patienceMs`; it continues, and a repeated call gets the answer. */
  async answer(
    call: LedgerCall,
    patienceMs: number,
    run: (signal: AbortSignal) => Promise<CallAnswer>,
  ): Promise<CallAnswer | undefined> {
    const last = this.#last.get(call.subject);
    const current = last && isSame(last.call, call) ? last : this.#start(call, last, run);
    const answer = await this.#within(call.id === undefined ? undefined : patienceMs, current.answer);
    if (answer && (answer.status !== 200 || call.isQuestion) && this.#last.get(call.subject) === current) {
      this.#last.delete(call.subject);
    }
    return answer;
  }

  /** Once nothing runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running].map(({ answer }) => answer));
  }

  abort(reason: Error): void {
    for (const { ending } of this.#running) ending.abort(reason);
  }

  #start(call: LedgerCall, last: Run | undefined, perform: (signal: AbortSignal) => Promise<CallAnswer>): Run {
    const ending = new AbortController();
    if (last && this.#running.has(last)) last.ending.abort(new Error("superseded by a newer call"));
    const finish = async (): Promise<CallAnswer> => {
      await last?.answer;
      try {
        return await perform(ending.signal);
      } finally {
        this.#running.delete(run);
        this.#forget();
      }
    };
    const run: Run = { call, ending, answer: Promise.resolve().then(finish) };
    this.#last.delete(call.subject);
    this.#last.set(call.subject, run);
    this.#running.add(run);
    return run;
  }

  #forget(): void {
    let excess = this.#last.size - this.#limit;
    if (excess <= 0) return;
    for (const [subject, run] of this.#last) {
      if (this.#running.has(run)) continue;
      this.#last.delete(subject);
      if (--excess <= 0) return;
    }
  }

  async #within(patienceMs: number | undefined, answer: Promise<CallAnswer>): Promise<CallAnswer | undefined> {
    if (patienceMs === undefined) return answer;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    using _ = this.#clock.after(patienceMs, () => resolve(undefined));
    return await Promise.race([answer, promise]);
  }
}

function isSame(one: LedgerCall, other: LedgerCall): boolean {
  return one.id !== undefined && one.id === other.id && one.digest === other.digest;
}
