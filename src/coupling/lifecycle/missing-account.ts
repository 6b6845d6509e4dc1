import { ApiError, type KubeClient } from "#kube";
import { rootOf } from "./coupling-failure.ts";

/**
 * Says so if the service account that was refused something does not exist: granting it rights would not help. Undefined if it
 * exists, or if that cannot be known.
 */
export async function describeMissingAccount(
  error: unknown,
  { client }: { readonly client: Pick<KubeClient, "find"> },
): Promise<string | undefined> {
  const { cause } = rootOf(error);
  if (!(cause instanceof ApiError && cause.isForbidden)) return undefined;
  const [, namespace, name] = /system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]*[a-z0-9])/.exec(cause.message) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  try {
    if (await client.find({ apiVersion: "v1", kind: "ServiceAccount", namespace, name })) return undefined;
  } catch {
    return undefined; // the refusal itself is reported anyway
  }
  return `service account ${namespace}/${name} does not exist: create it, or name another one in spec.serviceAccountName`;
}
