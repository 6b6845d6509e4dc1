import type { Clock, Logger } from "#base";
import { type LeaderElection, LeadershipLostError } from "#kube";
import type { Controller } from "./controller.ts";

export interface RunControllersOptions {
  readonly controllers: readonly Controller[];
  /** Default: no election; the controllers start at once. */
  readonly election?: Pick<LeaderElection, "run" | "isLeader">;
  /** How long running reconciles may continue after the signal; default 10 s. Kubernetes kills a pod 30 s after SIGTERM. */
  readonly graceMs?: number;
  /** Called before the end, to send what is buffered, such as events. */
  readonly flush?: readonly ((signal: AbortSignal) => Promise<void>)[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long aborted reconciles may take to end, and how long flushing may take. */
const lastMs = 5_000;

/**
 * Runs controllers until the signal is aborted. Then, in this order: start no new reconcile, wait for running ones (aborted
 * after `graceMs`), flush, release the lease, stop watching. A standby watches its sources from the start, so that it can
 * take over at once. Rejects when the lease is lost or a reconcile does not end; the process should then exit.
 */
export async function runControllers(options: RunControllersOptions, signal: AbortSignal): Promise<void> {
  const { controllers, election } = options;
  const reflectors = new Set(controllers.flatMap(({ sources }) => sources.map(({ reflector }) => reflector)));
  const watching = new AbortController();
  const watches = Promise.all([...reflectors].map((reflector) => reflector.run(watching.signal)));
  try {
    if (election) await election.run((leading) => serve(options, leading), signal);
    else await serve(options, signal);
  } finally {
    watching.abort(new Error("the controllers have ended"));
    await watches;
  }
}

async function serve(options: RunControllersOptions, signal: AbortSignal): Promise<void> {
  const { controllers, election, graceMs = 10_000, clock, log } = options;
  const stop = new AbortController();
  const kill = new AbortController();
  const abandoned = Promise.withResolvers<"abandoned">();
  const timers = new DisposableStack();

  function end(reason: unknown): void {
    if (stop.signal.aborted) return;
    stop.abort(reason);
    const isLost = reason instanceof LeadershipLostError;
    const abortReconciles = (): void => {
      kill.abort(isLost ? reason : new Error(`did not end within ${graceMs / 1000} s`));
      timers.use(clock.after(lastMs, () => abandoned.resolve("abandoned")));
    };
    if (isLost) abortReconciles();
    else timers.use(clock.after(graceMs, abortReconciles));
  }

  const onAbort = (): void => end(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const mayStart = election ? { mayStart: () => election.isLeader() } : {};
  const runs = controllers.map(async (controller) => {
    try {
      await controller.run({ stop: stop.signal, kill: kill.signal, ...mayStart });
    } catch (error) {
      log.error("a controller failed; stopping all", { controller: controller.name, error });
      end(error);
      throw error;
    }
  });
  const ended = Promise.allSettled(runs);
  try {
    const outcomes = await Promise.race([ended, abandoned.promise]);
    await flushAll(options);
    if (outcomes === "abandoned") throw stillRunning(controllers);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  } finally {
    signal.removeEventListener("abort", onAbort);
    timers.dispose();
  }
}

async function flushAll({ flush = [], clock, log }: RunControllersOptions): Promise<void> {
  const ending = new AbortController();
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  using _ = clock.after(lastMs, () => {
    const error = new Error(`not done within ${lastMs / 1000} s`);
    ending.abort(error);
    late.reject(error);
  });
  const outcomes = await Promise.allSettled(flush.map((each) => Promise.race([each(ending.signal), late.promise])));
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") log.warn("could not flush", { error: outcome.reason });
  }
}

function stillRunning(controllers: readonly Controller[]): Error {
  const keys = controllers.flatMap((controller) => controller.running().map((key) => `${controller.name} ${key}`));
  return new Error(`reconciles still running after the abort: ${keys.join(", ")}`);
}
