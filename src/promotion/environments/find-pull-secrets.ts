import { isRecord } from "#base";
import type { KubeClient } from "#kube";
import { environmentLabels } from "../kinds/environment-names.ts";
import type { PullSecret } from "./environment-provider.ts";

/** Only what kubelets use to pull images. */
const pullTypes = new Set(["kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg"]);

/**
 * The Secrets for images that a tenant wants in its environments. All users of an environment can read them there, so that a
 * label says it on each: only one who may write the Secret can set that.
 */
export async function findPullSecrets(
  namespace: string,
  client: Pick<KubeClient, "list">,
  signal: AbortSignal,
): Promise<readonly PullSecret[]> {
  const labelSelector = `${environmentLabels.copied}=true`;
  const { items } = await client.list({ apiVersion: "v1", kind: "Secret", namespace, labelSelector }, signal);
  return items.flatMap(({ metadata: { name }, type, data }) => {
    if (typeof type !== "string" || !pullTypes.has(type) || !isRecord(data)) return [];
    const texts = Object.entries(data).flatMap(([key, text]) =>
      typeof text === "string" ? [[key, text] as const] : [],
    );
    return [{ name, type, data: Object.fromEntries(texts) }];
  });
}
