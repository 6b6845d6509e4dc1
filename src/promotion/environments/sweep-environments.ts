import type { KubeObject } from "#kube";
import { done, type Reconciler, requeueAfter } from "#runtime";
import { environmentAnnotations, environmentLabels } from "../kinds/environment-names.ts";
import { EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import type { ClaimDeps } from "./claim-deps.ts";
import { hasClaimEnded, readClassState } from "./claim-facts.ts";
import type { EnvironmentProvider, FoundEnvironment } from "./environment-provider.ts";

const removalMs = 2_000;

export interface OrphanDeps extends ClaimDeps {
  readonly installation: (signal: AbortSignal) => Promise<string>;
}

/** Removes namespaces of this cluster that were made for a claim which does not exist any more. Keys are namespaces. */
export function orphanReconciler(deps: OrphanDeps): Reconciler {
  return async function reconcileNamespace(name, signal) {
    const namespace = deps.namespaces.get(name);
    const labels = namespace?.metadata.labels ?? {};
    const uid = labels[environmentLabels.claimUid];
    if (!namespace || uid === undefined || !deps.mayWrite()) return done;
    if (labels[environmentLabels.installation] !== (await deps.installation(signal))) return done;
    const claim = namespace.metadata.annotations?.[environmentAnnotations.claim] ?? "";
    const isLeft = await sweep({ uid, claim }, await deps.providerOf(undefined, signal), deps, signal);
    return isLeft ? requeueAfter(removalMs) : done;
  };
}

/** The same for the clusters of classes, whose namespaces no watch reports: when Tenon starts, and when a claim goes away. */
export function remoteOrphanReconciler(deps: OrphanDeps): Reconciler {
  return async function reconcileCluster(className, signal) {
    const state = readClassState(className, deps);
    if (state.kind === "absent" || state.settings.spec.provider !== "cluster" || !deps.mayWrite()) return done;
    const provider = await deps.providerOf(state.settings, signal);
    let isLeft = false;
    for (const found of await provider.list(signal)) {
      isLeft = (await sweep(found, provider, deps, signal)) || isLeft;
    }
    return isLeft ? requeueAfter(removalMs) : done;
  };
}

/** Whether something is still to be removed. The API server is asked before anything is: a cache may be behind, or empty. */
async function sweep(
  found: FoundEnvironment,
  provider: EnvironmentProvider,
  { client, claims, log, metrics }: OrphanDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const isOf = (claim: KubeObject | undefined): boolean => claim?.metadata.uid === found.uid && !hasClaimEnded(claim);
  if (isOf(claims.get(found.claim))) return false;
  const [namespace = "", name = ""] = found.claim.split("/");
  const { apiVersion, kind } = EphemeralClaim;
  const live = name === "" ? undefined : await client.find({ apiVersion, kind, namespace, name }, signal);
  if (isOf(live)) return false;
  const progress = await provider.release(found, signal);
  if (progress.kind === "gone") return false;
  log.warn("an environment without a claim is removed", { claim: found.claim, uid: found.uid });
  metrics.swept();
  return true;
}
