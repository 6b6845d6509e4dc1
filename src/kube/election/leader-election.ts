import { type Clock, type Gauge, type Logger, type Metrics, redact } from "#base";
import type { KubeClient } from "../client/client.ts";
import { LeaseHold } from "./lease-hold.ts";

export interface LeaderElectionOptions {
  /** Should use a separate transport, so that renewals do not wait behind other calls. */
  readonly client: Pick<KubeClient, "find" | "create" | "replace">;
  readonly namespace: string;
  /** The name of the Lease. All processes that use it elect one leader. */
  readonly name: string;
  /** Unique to this process. */
  readonly identity: string;
  /** How long standbys wait after the last renewal they saw; whole seconds, default 15 s. */
  readonly leaseDurationMs?: number;
  /** A leader that could not renew for so long stops; its work can end in the rest of the lease. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Default 2 s. */
  readonly retryPeriodMs?: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
}

/** `since` in milliseconds since the epoch. */
export type LeaderState =
  | { readonly kind: "standby"; readonly since: number; readonly holder?: string; readonly problem?: string }
  | { readonly kind: "leader"; readonly since: number }
  | { readonly kind: "lost"; readonly since: number; readonly why: string }
  | { readonly kind: "stopped"; readonly since: number };

export interface LeaderElection {
  readonly identity: string;
  readonly state: LeaderState;
  /** Computed from the time since the last renewal, so that it is right even in a process that was suspended. */
  isLeader(): boolean;
  /**
   * Waits to become the leader, then runs `onLead`. The signal of `onLead` is aborted with a `LeadershipLostError` when
   * leadership is lost, and when `signal` is aborted; in that case the lease is renewed until `onLead` returns and then
   * released, so that another process can lead at once. It is not released when `onLead` rejects, because its work may
   * still be running. Rejects when leadership is lost. Can be called once.
   */
  run(onLead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** Another process may lead already, so this process should exit. */
export class LeadershipLostError extends Error {
  override get name(): string {
    return "LeadershipLostError";
  }
}

const jitterFactor = 1.2;

/** Leader election with a Lease, by the protocol of https://pkg.go.dev/k8s.io/client-go/tools/leaderelection */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, namespace, name, identity, clock, random } = options;
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  refuseBadTimes(leaseDurationMs, renewDeadlineMs, retryPeriodMs);
  const ref = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace, name };
  const log = options.log.child({ lease: `${namespace}/${name}`, identity });
  const metrics = electionMetrics(options.metrics, name);
  const hold = new LeaseHold({ client, ref, identity, leaseDurationMs, clock });
  let state: LeaderState = { kind: "standby", since: clock.now() };
  let isStarted = false;

  async function acquire(signal: AbortSignal): Promise<void> {
    let problem: string | undefined;
    const since = clock.now();
    for (;;) {
      const before = hold.holder;
      try {
        if ((await withTimeout(clock, renewDeadlineMs, (each) => hold.take(each), signal)) === "held") return;
        problem = undefined;
      } catch (error) {
        signal.throwIfAborted();
        const message = describe(error);
        if (message !== problem) log.warn("cannot read or take the lease; retrying", { error });
        problem = message;
      }
      const { holder } = hold;
      if (holder !== before && holder) log.info("another instance leads", { holder });
      state = { kind: "standby", since, ...(holder ? { holder } : {}), ...(problem ? { problem } : {}) };
      await clock.sleep(retryPeriodMs * (1 + jitterFactor * random()), signal);
    }
  }

  /** Renews until `end` is aborted. Returns why leadership was lost, if it was. */
  async function keep(end: AbortSignal): Promise<string | undefined> {
    let next = clock.monotonic() + retryPeriodMs;
    while (!end.aborted) {
      const pauseMs = Math.min(next - clock.monotonic(), renewDeadlineMs - hold.sinceRenewal());
      await clock.sleep(Math.max(pauseMs, 0), end).catch(() => {});
      if (end.aborted) return undefined;
      next = clock.monotonic() + retryPeriodMs;
      const left = renewDeadlineMs - hold.sinceRenewal();
      if (left <= 0) return `it was not renewed for ${renewDeadlineMs / 1000} s`;
      try {
        // Half of the deadline, so that a hanging connection leaves time for a second attempt. `end` does not abort a
        // renewal, because then it would be unknown whether it happened, and so which version to release.
        const outcome = await withTimeout(clock, Math.min(left, renewDeadlineMs / 2), (each) => hold.renew(each));
        if (outcome === "held by another")
          return hold.holder ? `it is held by ${hold.holder}` : "it has no holder any more";
      } catch (error) {
        log.warn("cannot renew the lease; retrying until the deadline", { error });
      }
    }
    return undefined;
  }

  function lose(why: string): LeadershipLostError {
    state = { kind: "lost", since: clock.now(), why };
    metrics.leads(false);
    log.error("lost the lease", { why });
    return new LeadershipLostError(`the lease ${namespace}/${name} is lost: ${why}`);
  }

  async function lead(onLead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    state = { kind: "leader", since: clock.now() };
    metrics.leads(true);
    log.info("leading");
    const leading = new AbortController();
    const ended = new AbortController();
    const forward = (): void => leading.abort(signal.reason);
    signal.addEventListener("abort", forward, { once: true });
    if (signal.aborted) forward();
    const kept = keep(ended.signal).then((why) => {
      const error = why === undefined ? undefined : lose(why);
      if (error) leading.abort(error);
      return error;
    });
    try {
      await onLead(leading.signal);
    } catch (error) {
      ended.abort();
      throw (await kept) ?? error;
    } finally {
      ended.abort();
      signal.removeEventListener("abort", forward);
      metrics.leads(false);
    }
    const lost = await kept;
    if (lost) throw lost;
    await release();
  }

  async function release(): Promise<void> {
    try {
      await withTimeout(clock, renewDeadlineMs / 2, (each) => hold.release(each));
      log.info("released the lease");
    } catch (error) {
      log.warn("cannot release the lease; standbys wait until it expires", { error });
    }
  }

  return {
    identity,
    get state() {
      return state;
    },
    isLeader: () => state.kind === "leader" && hold.longestSinceRenewal() < renewDeadlineMs,
    async run(onLead, signal) {
      if (isStarted) throw new Error(`the election of ${namespace}/${name} was started twice`);
      isStarted = true;
      metrics.leads(false);
      try {
        await acquire(signal);
        await lead(onLead, signal);
      } catch (error) {
        if (state.kind !== "standby" || !signal.aborted) throw error;
      } finally {
        if (state.kind !== "lost") state = { kind: "stopped", since: clock.now() };
      }
    },
  };
}

function describe(error: unknown): string {
  return redact(error instanceof Error ? error.message : String(error));
}

function refuseBadTimes(leaseDurationMs: number, renewDeadlineMs: number, retryPeriodMs: number): void {
  const isOrdered = leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * jitterFactor;
  if (isOrdered && retryPeriodMs > 0 && leaseDurationMs % 1000 === 0) return;
  throw new RangeError(
    `expected leaseDurationMs > renewDeadlineMs > ${jitterFactor} * retryPeriodMs > 0 and a lease of whole seconds, ` +
      `got ${leaseDurationMs}, ${renewDeadlineMs} and ${retryPeriodMs}`,
  );
}

interface ElectionMetrics {
  leads(leads: boolean): void;
}

/** A registry accepts each name once, so the elections of a registry share the gauge. */
const registered = new WeakMap<Metrics, Gauge<"name">>();

/** With client-go's name: https://github.com/kubernetes/component-base/blob/master/metrics/prometheus/clientgo/leaderelection/metrics.go */
function electionMetrics(metrics: Metrics | undefined, name: string): ElectionMetrics {
  if (!metrics) return { leads() {} };
  const gauge =
    registered.get(metrics) ??
    metrics.gauge("leader_election_master_status", "1 in the instance that leads, 0 in the others.", ["name"]);
  registered.set(metrics, gauge);
  return { leads: (leads) => gauge.set(leads ? 1 : 0, { name }) };
}

/** Runs a task whose signal is aborted after the timeout or with the given signal. A late result still counts. */
async function withTimeout<Result>(
  clock: Pick<Clock, "after">,
  ms: number,
  task: (signal: AbortSignal) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const forward = (): void => controller.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  using _ = clock.after(ms, () => controller.abort(new Error(`no answer within ${ms / 1000} s`)));
  try {
    return await task(controller.signal);
  } finally {
    signal?.removeEventListener("abort", forward);
  }
}
