import { createHash } from "node:crypto";
import type { Logger } from "#base";
import { defaultFieldManager, type KubeClient, type KubeObject, refOf } from "#kube";
import { promotionAnnotations } from "../kinds/promotion-names.ts";

/** Policies are written only if they changed. A server without the kind of a policy goes without it, which is logged. */
export async function installPolicies(
  client: KubeClient,
  policies: readonly KubeObject[],
  log: Logger,
  signal: AbortSignal,
): Promise<number> {
  const served = await client.discovery.resources(signal);
  let changed = 0;
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
    changed += 1;
  }
  return changed;
}
