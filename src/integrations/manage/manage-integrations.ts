import { isDeepStrictEqual } from "node:util";
import { type Clock, describeError, type Logger, type Metrics } from "#base";
import type { QueryableSource } from "#bundle";
import { describePlan, type RealizeOptions } from "#inventory";
import type { LeaderElection } from "#kube";
import { type Health, WorkQueue } from "#runtime";
import { type AppliedPlan, applyPlan } from "../apply/apply-plan.ts";
import { ClusterPool } from "../clusters/cluster-pool.ts";
import type { ClusterOptions } from "../clusters/data-clusters.ts";
import { computeDesired } from "../desired/compute-desired.ts";
import { changedNamespaces, type DesiredDocument, desiredDocument } from "../desired/desired-document.ts";
import type { Desired, DesiredOptions } from "../desired/desired.ts";
import { DriftAllowance } from "./drift-allowance.ts";
import { DriftWatch, type ObservedObject, type WatchedCluster } from "./drift-watch.ts";
import type { ManagedRun } from "./managed-run.ts";
import { OwnWrites } from "./own-writes.ts";
import { RunHealth } from "./run-health.ts";
import { runMetrics, type ShardIdentity } from "./run-metrics.ts";
import { SuspensionState } from "../suspend/suspension-state.ts";
import {
  planDesired,
  type PlanDesiredOptions,
  type PlannedRun,
  withFormerClusters,
  withLines,
} from "../plan/plan-desired.ts";

export interface ManageOptions
  extends Omit<PlanDesiredOptions, "reach" | "desire" | "only" | "log" | "clock" | "metrics"> {
  readonly source: QueryableSource;
  /** Makes the options of a run; called for each, so that what is remembered of refs lasts for one. */
  readonly desire: () => DesiredOptions;
  readonly clusters: ClusterOptions;
  readonly realize?: Omit<RealizeOptions, "dryRun" | "log" | "metrics" | "clock" | "threadPoolSize"> | undefined;
  readonly isDryRun?: boolean | undefined;
  /** One run, and no more. */
  readonly isRunOnce?: boolean | undefined;
  /** How often the source is polled if it cannot be watched, plus or minus a tenth. */
  readonly intervalMs: number;
  /** The shortest wait after a failure; the longest is `intervalMs`. */
  readonly retryMs: number;
  /** Without, it leads at once. */
  readonly election?: Pick<LeaderElection, "run"> | undefined;
  readonly health?: Health | undefined;
  readonly env?: ShardIdentity | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
  /** How long an integration that others wait for may take to become healthy; default 10 min. */
  readonly healthyWithinMs?: number | undefined;
  /** Called after each run; the next one waits for it. It never rejects. */
  readonly onRun?: ((run: ManagedRun, signal: AbortSignal) => Promise<void> | void) | undefined;
}

/** The keys that are not targets; those have a slash. */
const fromData = "data";
const surveyAgain = "survey";

const nothingDone: AppliedPlan = { outcomes: [], isSuccess: true, waiting: [] };
/** What waits is looked at at least so often, since it may turn unhealthy. */
const longestWaitMs = 60_000;

/**
 * Keeps clusters as the data says until the signal is aborted, one run at a time: after each change of the data, and after each
 * drift of a managed object. In between only the source is polled.
 * Resolves with whether the last run was a success.
 */
export async function manageIntegrations(options: ManageOptions, signal: AbortSignal): Promise<boolean> {
  let isSuccess = true;
  const lead = async (leading: AbortSignal): Promise<void> => {
    await using manager = new Manager(options);
    isSuccess = await manager.run(leading);
  };
  if (options.election) await options.election.run(lead, signal);
  else await lead(signal);
  return isSuccess;
}

class Manager implements AsyncDisposable {
  readonly #options: ManageOptions;
  readonly #queue: WorkQueue;
  readonly #watch: DriftWatch;
  readonly #pool: ClusterPool;
  readonly #allowance: DriftAllowance;
  readonly #health: RunHealth;
  readonly #suspensions: SuspensionState;
  readonly #measured: ReturnType<typeof runMetrics>;
  #desired: Desired | undefined;
  #desire: DesiredOptions | undefined;
  #wanted: ReadonlySet<string> = new Set();
  /** What was applied without a failure. */
  #applied: DesiredDocument | undefined;
  #committedAt: Date | undefined;
  /** Nothing waits for anything, so that a namespace can be looked at alone. */
  #isSettled = false;
  #toldPlan = "";
  #source: ManagedRun["data"];
  /** Of the run that goes on. */
  #planned: Pick<ManagedRun, "plan" | "inventory"> = {};

  constructor(options: ManageOptions) {
    const { clock, random, log, metrics, clusters, intervalMs, retryMs } = options;
    const ownWrites = new OwnWrites();
    this.#options = options;
    this.#queue = new WorkQueue({ clock, random, baseMs: Math.min(retryMs, intervalMs), capMs: intervalMs });
    const listen: ClusterOptions["wrap"] = (name, transport) =>
      ownWrites.wrap(name, clusters.wrap?.(name, transport) ?? transport);
    this.#pool = new ClusterPool({ ...clusters, wrap: listen });
    this.#allowance = new DriftAllowance(clock);
    this.#measured = runMetrics(metrics, options.env);
    this.#health = new RunHealth(clock);
    this.#suspensions = new SuspensionState(log, metrics);
    options.health?.add(...this.#health.checks);
    this.#watch = new DriftWatch({
      ownWrites,
      isWanted: (object) => this.#wanted.has(objectKey(object)),
      onDrift: (target) => this.#queue.addAfter(target, this.#allowance.take(target)),
      onWatching: () => this.#queue.add(surveyAgain),
      clock,
      random,
      log,
      metrics,
    });
  }

  async run(signal: AbortSignal): Promise<boolean> {
    const { isRunOnce, source } = this.#options;
    if (isRunOnce) return (await this.#runOnce(fromData, signal)).isSuccess;
    let isSuccess = true;
    this.#queue.add(fromData);
    const listening = source.changes ? this.#listen(source.changes(signal), signal) : undefined;
    try {
      for (;;) {
        const item = await this.#queue.get(signal);
        if (!item) break;
        const done = await this.#runOnce(item.key, signal);
        isSuccess = done.isSuccess;
        this.#queue.done(item.key);
        this.#arrange(item.key, done);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#queue.shutDown("drop");
      await listening;
    }
    return isSuccess;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]();
    await this.#pool[Symbol.asyncDispose]();
  }

  /** When to look again. */
  #arrange(key: string, { isSuccess, waiting }: AppliedPlan): void {
    const { intervalMs, retryMs, random } = this.#options;
    if (waiting.length > 0) {
      const leftMs = Math.max(...waiting.map((wait) => wait.leftMs ?? 0));
      this.#queue.addAfter(surveyAgain, Math.min(Math.max(leftMs, retryMs), longestWaitMs));
    }
    if (!isSuccess) {
      this.#queue.retry(key);
      return;
    }
    this.#queue.forget(key);
    if (key === fromData) this.#queue.addAfter(fromData, intervalMs * (0.9 + 0.2 * random()));
  }

  async #listen(changes: AsyncIterable<unknown>, signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of changes) this.#queue.add(fromData);
    } catch (error) {
      if (signal.aborted) return;
      this.#options.log.warn("cannot watch the source; polling it instead", { error: describeError(error) });
    }
  }

  /** One run; whatever happens in it ends with it. */
  async #runOnce(key: string, signal: AbortSignal): Promise<AppliedPlan> {
    const { clock, log, onRun, isDryRun = false } = this.#options;
    const start = clock.monotonic();
    this.#measured.started();
    this.#health.started();
    let done: AppliedPlan = { outcomes: [], isSuccess: false, waiting: [] };
    let failure: string | undefined;
    try {
      done = key === fromData ? await this.#runFromData(signal) : await this.#runAgain(key, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure = describeError(error);
      log.error("run failed", { why: key, error: failure });
      this.#health.failed(failure);
    }
    const seconds = (clock.monotonic() - start) / 1000;
    this.#measured.ended({ seconds, isSuccess: done.isSuccess });
    this.#health.ended(done.isSuccess);
    const report = { why: key, ...done, isDryRun, seconds, ...this.#planned, data: this.#source, error: failure };
    this.#planned = {};
    await onRun?.(report, signal);
    return done;
  }

  async #runFromData(signal: AbortSignal): Promise<AppliedPlan> {
    const data = await this.#options.source.load(signal);
    this.#source = { identity: data.identity, commit: data.gitCommit };
    const desire = await withFormerClusters(withLines(this.#options.desire(), data), this.#options.memory, signal);
    const desired = await computeDesired(data, desire, signal);
    const document = desiredDocument(desired);
    const isAsApplied =
      this.#applied !== undefined &&
      changedNamespaces(this.#applied, document).size === 0 &&
      isDeepStrictEqual(this.#desired?.suspensions, desired.suspensions);
    if (isAsApplied && desired.errors.length === 0) return nothingDone;
    this.#applied = undefined;
    this.#desired = desired;
    this.#desire = desire;
    this.#wanted = new Set(wantedKeys(desired));
    const seconds = Number(data.gitCommitTimestamp);
    this.#committedAt = seconds > 0 ? new Date(seconds * 1000) : undefined;
    this.#tell(desired);
    const done = await this.#reconcile(undefined, signal);
    if (done.isSuccess && done.waiting.length === 0) this.#applied = document;
    return done;
  }

  async #runAgain(key: string, signal: AbortSignal): Promise<AppliedPlan> {
    return await this.#reconcile(key === surveyAgain ? undefined : new Set([key]), signal);
  }

  async #reconcile(alone: ReadonlySet<string> | undefined, signal: AbortSignal): Promise<AppliedPlan> {
    const { isDryRun = false, isRunOnce = false, realize, healthyWithinMs, log, metrics, clock } = this.#options;
    const { memory, ownWorkload, threadPoolSize } = this.#options;
    const only = this.#isSettled ? alone : undefined;
    const [desired, desire] = [this.#desired, this.#desire];
    if (!desired || !desire) return nothingDone;
    const planOptions = { ...this.#options, desire, reach: this.#pool.sources, only };
    using _ = this.#watch.hold();
    await using planned = await planDesired(desired, planOptions, signal);
    const { plan, inventory } = planned;
    this.#planned = { plan, inventory };
    this.#suspensions.update(planned.suspended.integrations, inventory);
    if (plan.actions.length + plan.refusals.length + plan.errors.length > 0 && !this.#isTold(planned)) {
      log.info("plan", { plan: plan.id, dryRun: isDryRun, changes: plan.actions.length, text: describePlan(plan) });
    }
    const done = await applyPlan(
      planned,
      {
        ...realize,
        dryRun: isDryRun,
        log,
        metrics,
        clock,
        memory,
        ownWorkload,
        threadPoolSize,
        committedAt: this.#committedAt,
        healthyWithinMs,
        // A manager has other things to do while something becomes healthy.
        isPatient: isRunOnce,
      },
      signal,
    );
    if (only === undefined) this.#isSettled = !planned.isOrdered || (done.isSuccess && done.waiting.length === 0);
    if (only === undefined && !isRunOnce) await this.#watch.follow(watchedClusters(planned), signal);
    return done;
  }

  /** While something waits, the same plan comes again and again. */
  #isTold({ plan, isOrdered }: PlannedRun): boolean {
    const isTold = isOrdered && plan.id === this.#toldPlan;
    this.#toldPlan = plan.id;
    return isTold;
  }

  #tell({ errors, warnings }: Desired): void {
    const { log } = this.#options;
    for (const { integration, where, what, next } of errors)
      log.error("integration not changed", { integration, where, what, next });
    for (const { integration, where, what, next } of warnings)
      log.warn("setting without effect", { integration, where, what, next });
  }
}

function* wantedKeys({ groups }: Desired): Generator<string> {
  for (const { namespace, resources } of groups) {
    for (const { kind, name } of resources) {
      yield objectKey({ cluster: namespace.cluster.name, namespace: namespace.name, kind, name });
    }
  }
}

function objectKey({ cluster, namespace, kind, name }: ObservedObject): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}

/** Those that were reached. Namespaces that are only cleaned need no watch. */
function watchedClusters({ namespaces, clusters }: PlannedRun): WatchedCluster[] {
  const byCluster = Map.groupBy(
    namespaces.filter(({ isOrphan }) => !isOrphan),
    ({ cluster }) => cluster.name,
  );
  return [...byCluster].flatMap(([name, all]) => {
    const client = clusters.get(name);
    if (!client) return [];
    const kinds = new Set(all.flatMap((each) => each.kinds));
    return [{ name, client, namespaces: new Set(all.map(({ namespace }) => namespace)), kinds }];
  });
}
