import { createHash } from "node:crypto";
import { describeError, type Logger, systemClock } from "#base";
import { installKinds, type Kind } from "#crd";
import { ApiError, defaultFieldManager, type KubeClient, type KubeObject, refOf } from "#kube";
import { upstreamKinds } from "../kinds/promotion-kinds.ts";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { kindRulesPolicy } from "./kind-rules-policy.ts";
import { snapshotLabelsPolicy } from "./snapshot-labels-policy.ts";

/**
 * Installs the kinds that Konflux has too, where they are absent, and upgrades those that Tenon installed. A definition of
 * someone else is used as it is; policies then hold the rules that it lacks. Returns once the API server applies the policies.
 */
export async function installPromotion(client: KubeClient, log: Logger, signal: AbortSignal): Promise<void> {
  const found = await Promise.all(
    upstreamKinds.map(async (kind) => ({ kind, isForeign: await isForeign(client, kind, signal) })),
  );
  const foreign = found.filter((one) => one.isForeign).map(({ kind }) => kind);
  const own = found.filter((one) => !one.isForeign).map(({ kind }) => kind);
  for (const { crdName } of foreign)
    log.info("kind is installed by someone else and stays as it is", { kind: crdName });
  const installed = (await installKinds(client, own, { signal })).filter(({ change }) => change !== "unchanged");
  for (const { crdName, change } of installed) log.info("kind installed", { kind: crdName, change });
  for (const { apiVersion, kind } of upstreamKinds) await client.discovery.whenServed({ apiVersion, kind }, signal);
  const policies = await installPolicies(
    client,
    [...snapshotLabelsPolicy, ...foreign.flatMap(kindRulesPolicy)],
    log,
    signal,
  );
  if (installed.length + policies.changed > 0 && policies.labelSnapshots) await awaitLabels(client, log, signal);
}

async function isForeign(client: KubeClient, { crdName }: Kind, signal: AbortSignal): Promise<boolean> {
  const definition = await client.find(
    { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: crdName },
    signal,
  );
  const managers = definition?.metadata.managedFields ?? [];
  return definition !== undefined && !managers.some(({ manager }) => manager === defaultFieldManager);
}

/** Policies are written only if they changed. A server without the kind of a policy goes without it, which is logged. */
async function installPolicies(
  client: KubeClient,
  policies: readonly KubeObject[],
  log: Logger,
  signal: AbortSignal,
): Promise<{ readonly changed: number; readonly labelSnapshots: boolean }> {
  const served = await client.discovery.resources(signal);
  let changed = 0;
  let labelSnapshots = true;
  for (const policy of policies) {
    if (!served.some(({ apiVersion, kind }) => apiVersion === policy.apiVersion && kind === policy.kind)) {
      log.warn("the API server has no such policies", { kind: policy.kind, policy: policy.metadata.name });
      if (snapshotLabelsPolicy.includes(policy)) labelSnapshots = false;
      continue;
    }
    const hash = createHash("sha256").update(JSON.stringify(policy)).digest("hex").slice(0, 16);
    const live = await client.find(refOf(policy), signal);
    if (live?.metadata.annotations?.[promotionAnnotations.contentHash] === hash) continue;
    const annotations = { [promotionAnnotations.contentHash]: hash };
    const options = { fieldManager: defaultFieldManager, force: true };
    await client.apply({ ...policy, metadata: { ...policy.metadata, annotations } }, options, signal);
    log.info("policy installed", { kind: policy.kind, policy: policy.metadata.name });
    changed += 1;
  }
  return { changed, labelSnapshots };
}

const longestWaitMs = 60_000;
const probePauseMs = 200;

/**
 * Until the API server has read the schema of a new kind, which it does every 5 s, it answers 503 to whatever creates a
 * Snapshot that a MutatingAdmissionPolicy matches: the type converters of
 * https://github.com/kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/typeconverter.go
 */
async function awaitLabels(client: KubeClient, log: Logger, signal: AbortSignal): Promise<void> {
  const { apiVersion, kind } = Snapshot;
  const probe = {
    apiVersion,
    kind,
    metadata: { name: "tenon-policy-probe", namespace: "default" },
    spec: { application: "tenon-policy-probe" },
  };
  const end = systemClock.monotonic() + longestWaitMs;
  for (;;) {
    try {
      const { metadata } = await client.create(probe, { dryRun: true }, signal);
      if (metadata.labels?.[promotionLabels.application] === probe.spec.application) return;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 503)) {
        log.warn("cannot try the policy of Snapshots", { error: describeError(error) });
        return;
      }
    }
    if (systemClock.monotonic() > end) {
      log.warn("the API server does not apply the policy of Snapshots yet", { waitedSeconds: longestWaitMs / 1000 });
      return;
    }
    await systemClock.sleep(probePauseMs, signal);
  }
}
