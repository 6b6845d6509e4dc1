import type { Clock, Logger, Metrics } from "#base";
import { createCoupling, installationKey, leaseName, ownAccount, Plug, Socket } from "#coupling";
import { installKinds } from "#crd";
import { createLeaderElection, type KubeClient } from "#kube";
import { electionChecks, type Health, runControllers } from "#runtime";
import type { CouplingSettings } from "./coupling-settings.ts";
import { requireKinds } from "./with-client.ts";

export interface CouplingHome {
  readonly client: KubeClient;
  /** With connections of its own, for calls of apparatuses through the API server, which may be slow. */
  readonly proxyClient: KubeClient;
  readonly server: URL;
  /** Tenon runs in a pod of the cluster. */
  readonly isInCluster: boolean;
  /** With connections of its own; undefined where there is nobody to share the work with. */
  readonly leaseClient: KubeClient | undefined;
  /** Of the Lease and of the installation's key. */
  readonly namespace: string;
  /** Nobody else has the same one. */
  readonly identity: string;
  readonly health: Health;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Couples plugs and sockets until the signal is aborted. Of several replicas, also of integration-operator's, one does. */
export async function startCoupling(
  home: CouplingHome,
  { installCrds, allowClusterScoped, watched, concurrency, apparatus }: CouplingSettings,
  signal: AbortSignal,
): Promise<void> {
  const { client, leaseClient, namespace, identity, health, clock, random, log, metrics } = home;
  const { proxyClient, isInCluster, server } = home;
  if (installCrds) await installCoupledKinds(client, log, signal);
  else await requireKinds(client, signal);
  const shared = { clock, random, log, metrics };
  const election = leaseClient
    ? createLeaderElection({ client: leaseClient, namespace, name: leaseName, identity, ...shared })
    : undefined;
  using coupling = createCoupling({
    client,
    fingerprintKey: await installationKey(client, namespace, signal),
    instance: identity,
    namespace: watched,
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

/** Who installed them for integration-operator; whoever says `--install-crds` wants them as Tenon has them. */
const formerInstallers = ["helm", "kubectl", "kubectl-client-side-apply", "kubectl-create", "kubectl-replace"];

async function installCoupledKinds(client: KubeClient, log: Logger, signal: AbortSignal): Promise<void> {
  const kinds = [Plug, Socket];
  const installed = await installKinds(client, kinds, { takeOverFrom: formerInstallers, signal });
  for (const { crdName, change, violations } of installed) {
    if (change !== "unchanged") log.info("kind installed", { kind: crdName, change });
    if (violations.count > 0) {
      log.warn("stored objects do not fit their kind any more", { kind: crdName, ...violations });
    }
  }
  for (const { apiVersion, kind } of kinds) await client.discovery.whenServed({ apiVersion, kind }, signal);
}
