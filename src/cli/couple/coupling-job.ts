import type { Clock, Logger, Metrics } from "#base";
import { couplingKinds, createCoupling, installationKey, ownAccount } from "#coupling";
import { installKinds } from "#crd";
import { createLeaderElection, type KubeClient } from "#kube";
import { electionChecks, type Health, runControllers } from "#runtime";
import { type CouplingSettings, readCouplingSettings } from "./coupling-settings.ts";
import { requireCoupledKinds } from "./with-client.ts";
import type { JobContext } from "../control/jobs.ts";

export interface CouplingHome {
  readonly client: KubeClient;
  /** With its own connections, for calls of apparatuses through the API server, which may be slow. */
  readonly proxyClient: KubeClient;
  readonly server: URL;
  /** Tenon runs in a pod of the cluster. */
  readonly isInCluster: boolean;
  /** With its own connections; undefined without leader election. */
  readonly leaseClient: KubeClient | undefined;
  /** The namespace of the Lease and of the installation's key. */
  readonly namespace: string;
  /** Unique: the holder of the Lease. */
  readonly identity: string;
  readonly health: Health;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Couples plugs and sockets until the signal is aborted. Of several replicas, integration-operator's included, one is the leader. */
export async function startCoupling(
  home: CouplingHome,
  { installCrds, allowClusterScoped, namespaces, lease, concurrency, apparatus }: CouplingSettings,
  signal: AbortSignal,
): Promise<void> {
  const { client, leaseClient, namespace, identity, health, clock, random, log, metrics } = home;
  const { proxyClient, isInCluster, server } = home;
  if (installCrds) await installCoupledKinds(client, log, signal);
  else await requireCoupledKinds(client, signal, couplingKinds);
  const shared = { clock, random, log, metrics };
  const election = leaseClient
    ? createLeaderElection({ client: leaseClient, namespace, name: lease, identity, ...shared })
    : undefined;
  using coupling = createCoupling({
    client,
    fingerprintKey: await installationKey(client, namespace, signal),
    instance: identity,
    namespaces,
    allowClusterScoped,
    ...(concurrency === undefined ? {} : { concurrency }),
    apparatusSettings: {
      isInCluster,
      apiServer: [server.hostname, ...(isInCluster ? [`kubernetes.default.svc.${apparatus.clusterDomain}`] : [])],
      proxyClient,
      tokenAccount: isInCluster ? await ownAccount(client, signal) : undefined,
      ...apparatus,
    },
    ...(election ? { mayWrite: () => election.isLeader() } : {}),
    ...shared,
  });
  const { controllers } = coupling;
  const flush = (ending: AbortSignal) => coupling.flush(ending);
  health.add(...controllers.flatMap(({ checks }) => checks), ...(election ? electionChecks(election, clock) : []));
  await runControllers({ controllers, ...(election ? { election } : {}), flush: [flush], clock, log }, signal);
}

/** Field managers of the CRDs of integration-operator; `--install-crds` takes over from them. */
const formerInstallers = ["helm", "kubectl", "kubectl-client-side-apply", "kubectl-create", "kubectl-replace"];

async function installCoupledKinds(client: KubeClient, log: Logger, signal: AbortSignal): Promise<void> {
  const installed = await installKinds(client, couplingKinds, { takeOverFrom: formerInstallers, signal });
  for (const { crdName, change, violations } of installed) {
    if (change !== "unchanged") log.info("kind installed", { kind: crdName, change });
    if (violations.count > 0) {
      log.warn("stored objects do not fit their kind any more", { kind: crdName, ...violations });
    }
  }
  for (const { apiVersion, kind } of couplingKinds) await client.discovery.whenServed({ apiVersion, kind }, signal);
}

/** The job `couple` of `tenon run`. */
export async function runCouplingJob(context: JobContext, signal: AbortSignal): Promise<void> {
  const { shell, options, identity, health, clock, random, log, metrics } = context;
  const settings = readCouplingSettings(options, shell.env);
  const home = await context.home();
  const { client, namespace, server, isInCluster } = home;
  const leaseClient = settings.leaderElection ? home.openClient() : undefined;
  await startCoupling(
    {
      client,
      proxyClient: home.openClient({ concurrency: 1_000, timeoutMs: 11 * 60_000 }),
      server,
      isInCluster,
      leaseClient,
      namespace,
      identity,
      health,
      clock,
      random,
      log,
      metrics,
    },
    settings,
    signal,
  );
}
