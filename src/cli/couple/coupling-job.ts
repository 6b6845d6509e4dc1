import type { JobContext } from "../control/jobs.ts";
import { readCouplingSettings } from "./coupling-settings.ts";
import { startCoupling } from "./start-coupling.ts";

/** The job `couple` of `tenon run`. */
export async function start(context: JobContext, signal: AbortSignal): Promise<void> {
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
