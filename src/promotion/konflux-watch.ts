import { type Clock, isRecord, type Logger, type Metrics } from "#base";
import { createReflector, describeRef, type KubeClient, type KubeObject, type LeaderElection, refOf } from "#kube";
import type { HealthCheck, Right } from "#runtime";

/** Konflux's integration-service acts on the same builds and Snapshots. Both names are fixed in its manifests. */
const deploymentName = "integration-service-controller-manager";
const leaseName = "03c7e15b.redhat.com";

export interface KonfluxWatchOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
}

/** Notices whether Konflux's integration-service runs in the cluster, by its Deployment and by its Lease. */
export interface KonfluxWatch {
  readonly check: HealthCheck;
  run(signal: AbortSignal): Promise<void>;
  /**
   * An election that is won only while integration-service does not run: the work ends when it starts, and starts again
   * when it has stopped.
   */
  standAside(election: Election | undefined): Election;
}

type Election = Pick<LeaderElection, "run" | "isLeader">;

export const konfluxRights: readonly Right[] = [
  {
    where: "cluster",
    apiGroup: "apps",
    resources: ["deployments"],
    verbs: ["list", "watch"],
    names: [deploymentName],
    why: "notice Konflux's integration-service, beside which Tenon does not work",
  },
  {
    where: "cluster",
    apiGroup: "coordination.k8s.io",
    resources: ["leases"],
    verbs: ["list", "watch"],
    names: [leaseName],
    why: "notice it also where its Deployment has another name",
  },
];

export function createKonfluxWatch(options: KonfluxWatchOptions): KonfluxWatch {
  const { clock, log } = options;
  const deployments = createReflector({
    ...options,
    selection: { apiVersion: "apps/v1", kind: "Deployment", fieldSelector: `metadata.name=${deploymentName}` },
  });
  const leases = createReflector({
    ...options,
    selection: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", fieldSelector: `metadata.name=${leaseName}` },
  });
  const listeners = new Set<() => void>();
  const renewals = new Map<string, { readonly until: number; readonly alarm: Disposable }>();
  let said: string | undefined;

  function found(): string | undefined {
    const deployment = deployments.store.list().find(hasReplicas);
    const lease = leases.store
      .list()
      .find((one) => (renewals.get(describeRef(refOf(one)))?.until ?? 0) > clock.monotonic());
    const object = deployment ?? lease;
    return object && describeRef(refOf(object));
  }

  function announce(): void {
    const now = found();
    if (now !== said) {
      said = now;
      if (now === undefined) log.info("integration-service of Konflux does not run any more");
      else {
        log.warn(
          "integration-service of Konflux runs, and both would act on every build; builds and tests stand aside",
          {
            found: now,
            next: "stop it (`kubectl scale --replicas=0`) and Tenon takes over at once, or leave builds and tests out of --promote",
          },
        );
      }
    }
    for (const listener of listeners) listener();
  }

  /** A Lease counts for as long as it says after it was last seen to change, because clocks differ. */
  function followLease(lease: KubeObject): void {
    const key = describeRef(refOf(lease));
    renewals.get(key)?.alarm[Symbol.dispose]();
    renewals.delete(key);
    const durationMs = heldMs(lease);
    if (durationMs > 0) {
      const alarm = clock.after(durationMs + 1, announce);
      renewals.set(key, { until: clock.monotonic() + durationMs, alarm });
    }
    announce();
  }

  /** Resolves once integration-service is known not to run, or the signal is aborted. */
  async function whenAbsent(signal: AbortSignal): Promise<void> {
    try {
      await Promise.all([deployments.whenSynced(signal), leases.whenSynced(signal)]);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (found() === undefined || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (found() === undefined || signal.aborted) resolve();
    };
    listeners.add(check);
    signal.addEventListener("abort", check, { once: true });
    await promise;
    listeners.delete(check);
    signal.removeEventListener("abort", check);
  }

  async function workAlone(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    for (;;) {
      await whenAbsent(signal);
      if (signal.aborted) return;
      const ending = new AbortController();
      const check = (): void => {
        if (found() !== undefined) ending.abort(new Error("integration-service of Konflux runs"));
      };
      listeners.add(check);
      try {
        await work(AbortSignal.any([signal, ending.signal]));
      } finally {
        listeners.delete(check);
      }
    }
  }

  return {
    check: {
      name: "integration-service of Konflux",
      probe: "readyz",
      examine() {
        const now = found();
        return {
          isGood: true,
          message: now === undefined ? "does not run" : `${now} runs: builds and tests stand aside`,
        };
      },
    },
    async run(signal) {
      using _deployments = deployments.subscribe(announce);
      using _leases = leases.subscribe(({ type, object }) => (type === "deleted" ? announce() : followLease(object)));
      await Promise.all([deployments.run(signal), leases.run(signal)]);
      for (const { alarm } of renewals.values()) alarm[Symbol.dispose]();
    },
    standAside: (election) => ({
      isLeader: () => found() === undefined && (election?.isLeader() ?? true),
      run: async (work, signal) =>
        election ? await election.run((leading) => workAlone(work, leading), signal) : await workAlone(work, signal),
    }),
  };
}

function hasReplicas({ spec }: KubeObject): boolean {
  const replicas = isRecord(spec) ? spec["replicas"] : undefined;
  return replicas !== 0;
}

/** How long the Lease is held without another renewal; 0 if nobody holds it. */
function heldMs({ spec }: KubeObject): number {
  if (!isRecord(spec) || typeof spec["holderIdentity"] !== "string" || spec["holderIdentity"] === "") return 0;
  return (typeof spec["leaseDurationSeconds"] === "number" ? spec["leaseDurationSeconds"] : 15) * 1_000;
}
