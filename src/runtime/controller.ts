import { type Clock, createMetrics, type Logger, type Metrics } from "#base";
import type { BackoffOptions } from "./key-backoff.ts";
import { type ControllerSource, followSources } from "./controller-source.ts";
import type { HealthCheck } from "./health.ts";
import type { Priority } from "./ready-queue.ts";
import { isTerminal, type Result } from "./result.ts";
import { type ReconcileResult, runtimeMetrics } from "./runtime-metrics.ts";
import { type WorkItem, WorkQueue } from "./work-queue.ts";

/**
 * Brings the object of a key to its desired state. It gets only the key and reads the current state itself.
 * A rejection is retried with backoff. A terminal error is not retried until something changes.
 */
export type Reconciler = (key: string, signal: AbortSignal) => Promise<Result>;

export interface ControllerOptions {
  readonly name: string;
  readonly reconcile: Reconciler;
  readonly sources: readonly ControllerSource[];
  /** How many reconciles run at once, each of a different key; default 1. */
  readonly concurrency?: number;
  /** The group of a key: keys of one group are reconciled together, within their namespace, up to 64 in a row. */
  readonly groupOf?: (key: string) => string;
  /** How long after a reconcile the key of an existing object is reconciled again, give or take 10 %; default never. */
  readonly resyncMs?: number;
  /** When the signal of a reconcile is aborted; default 5 min. `/healthz` reports a reconcile that ignores the abort. */
  readonly timeoutMs?: number;
  readonly backoff?: BackoffOptions;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
}

export interface ControllerRun {
  /** Starts no new reconcile; running ones continue. */
  readonly stop: AbortSignal;
  /** Aborts running reconciles. */
  readonly kill?: AbortSignal;
  /** Checked before each reconcile. */
  readonly mayStart?: () => boolean;
}

export interface Controller {
  readonly name: string;
  readonly sources: readonly ControllerSource[];
  readonly checks: readonly HealthCheck[];
  /** The keys being reconciled now. */
  running(): readonly string[];
  /** Starts when all sources have synced, runs until `stop`, and resolves when the last reconcile has ended. */
  run(options: ControllerRun): Promise<void>;
}

/** How long an aborted reconcile may take to end before `/healthz` reports it as stuck. */
const patienceMs = 30_000;
/** How long a worker waits after `mayStart` said no before it asks again. */
const restMs = 1_000;

export function createController(options: ControllerOptions): Controller {
  const { name, reconcile, sources, concurrency = 1, resyncMs, timeoutMs = 5 * 60_000, clock, random } = options;
  const log = options.log.child({ controller: name });
  const metrics = runtimeMetrics(options.metrics ?? createMetrics());
  const measured = metrics.controller(name);
  let queue: WorkQueue | undefined;

  async function work(from: WorkQueue, run: ControllerRun): Promise<void> {
    for (let item = await from.get(); item; item = await from.get()) {
      if (run.stop.aborted) {
        from.done(item.key);
      } else if (run.mayStart?.() === false) {
        from.add(item.key, item.priority);
        from.done(item.key);
        await clock.sleep(restMs, run.stop).catch(() => {});
      } else {
        await reconcileOne(item, from, run);
      }
    }
  }

  async function reconcileOne(item: WorkItem, from: WorkQueue, { kill }: ControllerRun): Promise<void> {
    const { key } = item;
    const started = clock.monotonic();
    const ending = new AbortController();
    const forward = (): void => ending.abort(kill?.reason);
    kill?.addEventListener("abort", forward, { once: true });
    if (kill?.aborted) forward();
    const alarm = clock.after(timeoutMs, () => ending.abort(timeoutError(name, key, timeoutMs)));
    measured.workers(from.running().length, concurrency);
    const result = await attempt(item, from, ending.signal, kill);
    alarm[Symbol.dispose]();
    kill?.removeEventListener("abort", forward);
    if (resyncMs !== undefined && isOwn(key)) from.addAfter(key, resyncMs * (0.9 + 0.2 * random()), "background");
    from.done(key);
    measured.reconciled(result, (clock.monotonic() - started) / 1000);
    measured.workers(from.running().length, concurrency);
  }

  async function attempt(
    item: WorkItem,
    from: WorkQueue,
    signal: AbortSignal,
    kill: AbortSignal | undefined,
  ): Promise<ReconcileResult> {
    const { key } = item;
    const priority = item.priority === "background" ? "background" : "live"; // resumed once
    try {
      const result = await reconcile(key, signal);
      from.forget(key);
      if (result.kind === "done") return "success";
      from.addAfter(key, result.afterMs, priority);
      return "requeue_after";
    } catch (error) {
      if (kill?.aborted) log.info("reconcile aborted", { key, error });
      else handleFailure(key, priority, from, error);
      return "error";
    }
  }

  function handleFailure(key: string, priority: Priority, from: WorkQueue, error: unknown): void {
    if (isTerminal(error)) {
      from.forget(key);
      measured.failedTerminally();
      log.warn("reconcile failed; no retry until something changes", { key, error });
      return;
    }
    const retryMs = Math.round(from.retry(key, priority));
    log.warn("reconcile failed; retrying", { key, retryMs, error });
  }

  function isOwn(key: string): boolean {
    return sources.some(({ reflector, keysOf }) => !keysOf && reflector.store.get(key) !== undefined);
  }

  return {
    name,
    sources,
    checks: [
      { name: `${name}: sources`, probe: "readyz", examine: () => examineSources(sources) },
      { name: `${name}: reconciles`, probe: "healthz", examine: () => examineReconciles(queue, clock, timeoutMs) },
    ],
    running: () => queue?.running().map(({ key }) => key) ?? [],
    async run(run) {
      const own = new WorkQueue({
        clock,
        random,
        ...options.backoff,
        groupOf: options.groupOf,
        metrics: metrics.queue(name),
      });
      queue = own;
      measured.workers(0, concurrency);
      const end = (): void => own.shutDown("drop");
      run.stop.addEventListener("abort", end, { once: true });
      if (run.stop.aborted) end();
      using _ = followSources({
        sources,
        add: (key, priority) => own.add(key, priority),
        onMappingError: () => measured.mappingFailed(),
        log,
      });
      try {
        await Promise.all(sources.map(({ reflector }) => reflector.whenSynced(run.stop)));
      } catch (error) {
        if (run.stop.aborted) return;
        throw error;
      }
      log.info("started", { concurrency });
      await Promise.all(Array.from({ length: concurrency }, () => work(own, run)));
      log.info("stopped");
    },
  };
}

function timeoutError(name: string, key: string, ms: number): Error {
  return new Error(`the reconcile of ${key} by ${name} took longer than ${ms / 1000} s`);
}

function examineSources(sources: readonly ControllerSource[]): ReturnType<HealthCheck["examine"]> {
  const missing = sources.filter(({ reflector }) => !reflector.hasSynced);
  if (missing.length === 0) return { isGood: true, message: `${sources.length} synced` };
  const problems = missing.flatMap(({ reflector }) => reflector.problem ?? []);
  const counts = `${missing.length} of ${sources.length} have not synced yet`;
  return { isGood: false, message: [counts, ...problems].join("; ") };
}

function examineReconciles(
  queue: WorkQueue | undefined,
  clock: Pick<Clock, "now">,
  timeoutMs: number,
): ReturnType<HealthCheck["examine"]> {
  const running = queue?.running() ?? [];
  const stuck = running.filter(({ forMs }) => forMs > timeoutMs + patienceMs);
  if (stuck.length === 0) return { isGood: true, message: `${running.length} running` };
  const since = clock.now() - Math.max(...stuck.map(({ forMs }) => forMs));
  const keys = stuck.map(({ key, forMs }) => `${key} for ${Math.round(forMs / 1000)} s`);
  return { isGood: false, message: `still running after the abort: ${keys.join(", ")}`, since };
}
