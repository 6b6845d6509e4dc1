import type { Transport } from "#kube";
import { processorTime } from "./measure.ts";

/** Requests of an operator, for a process that says over IPC what it has cost so far. */
export class CountedOperator {
  readonly #counts = { reads: 0, writes: 0, events: 0 };
  readonly stopping: AbortSignal;

  /** Answers the process that started this one, and ends with it. */
  constructor() {
    process.on("message", () => {
      process.send?.({ ...this.#counts, cpuMs: processorTime(), rssMb: process.memoryUsage.rss() / 1e6 });
    });
    process.send?.("ready");
    const stopping = new AbortController();
    process.on("disconnect", () => stopping.abort(new Error("the benchmark is over")));
    this.stopping = stopping.signal;
  }

  /** Watches are not counted, because every operator has them. */
  count(inner: Transport): Transport {
    return {
      cluster: inner.cluster,
      send: (request, signal) => {
        if (request.path.includes("/events")) this.#counts.events++;
        else if (request.method === "GET") this.#counts.reads++;
        else this.#counts.writes++;
        return inner.send(request, signal);
      },
      open: (request, signal) => inner.open(request, signal),
      impersonate: (identity) => this.count(inner.impersonate(identity)),
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    };
  }
}
