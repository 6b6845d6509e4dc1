import { type Clock, isRecord, type Logger, type Metrics } from "#base";
import { createReflector, describeRef, type KubeClient, type KubeObject, type LeaderElection, refOf } from "#kube";
import type { HealthCheck, Right } from "#runtime";

/** Services of Konflux that act on the same objects. The names are fixed in their manifests. */
const services = {
  "integration-service": { deployment: "integration-service-controller-manager", lease: "03c7e15b.redhat.com" },
  "release-service": { deployment: "release-service-controller-manager", lease: "f3d4c01a.redhat.com" },
} as const;
export type KonfluxService = keyof typeof services;

export interface KonfluxWatchOptions {
  /** Default integration-service, which turns builds into Snapshots, tests them and creates Releases. */
  readonly service?: KonfluxService;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
}

/** Notices whether a service of Konflux runs in the cluster, by its Deployment and by its Lease. */
export interface KonfluxWatch {
  readonly check: HealthCheck;
  run(signal: AbortSignal): Promise<void>;
  /**
   * An election that is won only while the service does not run: the work ends when it starts, and starts again when it
   * has stopped.
   */
  standAside(election: Election | undefined): Election;
}

type Election = Pick<LeaderElection, "run" | "isLeader">;

/** What it takes to notice these services. */
export function konfluxRights(...watched: readonly KonfluxService[]): readonly Right[] {
  return [
    {
      where: "cluster",
      apiGroup: "apps",
      resources: ["deployments"],
      verbs: ["list", "watch"],
      names: watched.map((service) => services[service].deployment),
      why: `notice Konflux's ${watched.join(" and ")}, beside which Tenon does not work`,
    },
    {
      where: "cluster",
      apiGroup: "coordination.k8s.io",
      resources: ["leases"],
      verbs: ["list", "watch"],
      names: watched.map((service) => services[service].lease),
      why: "notice it also where its Deployment has another name",
    },
  ];
}

export function createKonfluxWatch({ service = "integration-service", ...options }: KonfluxWatchOptions): KonfluxWatch {
  const { clock, log } = options;
  const { deployment: deploymentName, lease: leaseName } = services[service];
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
      if (now === undefined) log.info("a service of Konflux does not run any more", { service });
      else {
        log.warn("a service of Konflux runs, and both would act on the same objects; Tenon stands aside", {
          service,
          found: now,
          next: "stop it (`kubectl scale --replicas=0`) and Tenon takes over at once, or leave its part out of --promote",
        });
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

  /** Resolves once the service is known not to run, or the signal is aborted. */
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
        if (found() !== undefined) ending.abort(new Error(`${service} of Konflux runs`));
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
      name: `${service} of Konflux`,
      probe: "readyz",
      examine() {
        const now = found();
        return {
          isGood: true,
          message: now === undefined ? "does not run" : `${now} runs: Tenon stands aside`,
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

/** How long the Lease is held without another renewal; 0 if it is not held. */
function heldMs({ spec }: KubeObject): number {
  if (!isRecord(spec) || typeof spec["holderIdentity"] !== "string" || spec["holderIdentity"] === "") return 0;
  return (typeof spec["leaseDurationSeconds"] === "number" ? spec["leaseDurationSeconds"] : 15) * 1_000;
}
