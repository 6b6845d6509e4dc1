import { type Clock, InputError, type Logger, Semaphore, silentLogger, systemClock } from "#base";
import { describeRef, type KubeClient } from "#kube";
import type { ClusterClients } from "../current/cluster-clients.ts";
import { clusterScope } from "../resource-inventory.ts";
import { explainFailure } from "./explain-failure.ts";
import type { ActionOutcome } from "./outcome.ts";
import { readinessOf, takesTime } from "./readiness.ts";
import { waitFor } from "./wait.ts";

export interface ValidateOptions {
  /** How long each object may take; default 10 min. */
  readonly timeoutMs?: number | undefined;
  /** Objects at once, on each cluster; default 10. */
  readonly threadPoolSize?: number | undefined;
  readonly log?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** Waits until what was applied has become so: pods are ready, jobs have succeeded. Gives back what has not, each with the reason. */
export async function validateRealized(
  outcomes: readonly ActionOutcome[],
  clusters: ClusterClients,
  { timeoutMs = 600_000, threadPoolSize = 10, log = silentLogger, clock = systemClock }: ValidateOptions,
  signal: AbortSignal,
): Promise<ActionOutcome[]> {
  const applied = outcomes.filter(
    ({ state, action, kind }) => state === "done" && action !== "delete" && takesTime(kind),
  );
  const places = new Map<string, Semaphore>();
  const failures = await Promise.all(
    applied.map(async (outcome) => {
      const place = places.get(outcome.cluster) ?? new Semaphore(threadPoolSize);
      places.set(outcome.cluster, place);
      const client = clusters.get(outcome.cluster, { privileged: outcome.privileged });
      if (!client) return [];
      try {
        await place.run(() => becomeReady(outcome, client, { timeoutMs, clock }, signal), signal);
        return [];
      } catch (error) {
        signal.throwIfAborted();
        const { reason, next } = explainFailure(error, outcome);
        log.error(`[${outcome.cluster}/${outcome.namespace}] ${reason}`, { kind: outcome.kind, name: outcome.name });
        return [{ ...outcome, state: "failed" as const, reason, next }];
      }
    }),
  );
  return failures.flat();
}

async function becomeReady(
  { apiVersion, kind, namespace, name }: ActionOutcome,
  client: KubeClient,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  const ref = { apiVersion, kind, name, ...(namespace === clusterScope ? {} : { namespace }) };
  const look = async () => {
    const readiness = readinessOf(await client.get(ref, signal));
    if (readiness.is === "failed")
      throw new InputError(readiness.why, { where: describeRef(ref), next: "check its pods" });
    return readiness.is === "ready" ? undefined : readiness.missing;
  };
  await waitFor(`${describeRef(ref)} to be ready`, look, { clock, timeoutMs }, signal);
}
