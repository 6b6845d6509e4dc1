import { createHash } from "node:crypto";
import type { Logger } from "#base";
import { installKinds, type Kind } from "#crd";
import { defaultFieldManager, type KubeClient, type KubeObject, refOf } from "#kube";
import { upstreamKinds } from "../kinds/promotion-kinds.ts";
import { promotionAnnotations } from "../kinds/promotion-names.ts";
import { kindRulesPolicy } from "./kind-rules-policy.ts";
import { snapshotLabelsPolicy } from "./snapshot-labels-policy.ts";

/**
 * Installs the kinds that Konflux has too, where they are absent, and upgrades those that Tenon installed. A definition of
 * someone else is used as it is; policies then hold the rules that it lacks.
 */
export async function installPromotion(client: KubeClient, log: Logger, signal: AbortSignal): Promise<void> {
  const found = await Promise.all(
    upstreamKinds.map(async (kind) => ({ kind, isForeign: await isForeign(client, kind, signal) })),
  );
  const foreign = found.filter((one) => one.isForeign).map(({ kind }) => kind);
  const own = found.filter((one) => !one.isForeign).map(({ kind }) => kind);
  for (const { crdName } of foreign)
    log.info("kind is installed by someone else and stays as it is", { kind: crdName });
  for (const { crdName, change } of await installKinds(client, own, { signal })) {
    if (change !== "unchanged") log.info("kind installed", { kind: crdName, change });
  }
  for (const { apiVersion, kind } of upstreamKinds) await client.discovery.whenServed({ apiVersion, kind }, signal);
  await installPolicies(client, [...snapshotLabelsPolicy, ...foreign.flatMap(kindRulesPolicy)], log, signal);
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
): Promise<void> {
  const served = await client.discovery.resources(signal);
  for (const policy of policies) {
    if (!served.some(({ apiVersion, kind }) => apiVersion === policy.apiVersion && kind === policy.kind)) {
      log.warn("the API server has no such policies", { kind: policy.kind, policy: policy.metadata.name });
      continue;
    }
    const hash = createHash("sha256").update(JSON.stringify(policy)).digest("hex").slice(0, 16);
    const live = await client.find(refOf(policy), signal);
    if (live?.metadata.annotations?.[promotionAnnotations.contentHash] === hash) continue;
    const annotations = { [promotionAnnotations.contentHash]: hash };
    const options = { fieldManager: defaultFieldManager, force: true };
    await client.apply({ ...policy, metadata: { ...policy.metadata, annotations } }, options, signal);
    log.info("policy installed", { kind: policy.kind, policy: policy.metadata.name });
  }
}
