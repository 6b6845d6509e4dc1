import type { KubeClient } from "#kube";

/** Identifies a cluster: the uid of its namespace kube-system, which is asked for once. */
export function rememberInstallation(client: Pick<KubeClient, "get">): (signal: AbortSignal) => Promise<string> {
  let known: string | undefined;
  return async (signal) => {
    const ref = { apiVersion: "v1", kind: "Namespace", name: "kube-system", metadataOnly: true };
    known ??= (await client.get(ref, signal)).metadata.uid ?? "";
    return known;
  };
}
