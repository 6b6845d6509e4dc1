import { createHash } from "node:crypto";
import { ApiError, type KubeClient, type KubeObject, type ObjectRef } from "#kube";

/** What runs of managed pipelines may do in the namespace of the Release; the chart ships it. */
export const releaseResourceRole = "release-pipeline-resource-role";

const roleBinding = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding" } as const;
const suffixLength = 8;

/** The same for the same Release, so that it is found again after a kill. */
function bindingOf({ metadata: { namespace, name, uid } }: KubeObject): ObjectRef {
  const suffix = createHash("sha256")
    .update(uid ?? "")
    .digest("hex")
    .slice(0, suffixLength);
  return { ...roleBinding, namespace, name: `${name}-rolebinding-for-${releaseResourceRole}-${suffix}` };
}

/** Lets the account of a managed pipeline read what it releases, while it runs. Returns `namespace/name` of the RoleBinding. */
export async function bindManagedAccount(
  release: KubeObject,
  account: { readonly namespace: string; readonly name: string },
  client: Pick<KubeClient, "create">,
  signal: AbortSignal,
): Promise<string> {
  const { apiVersion, kind, namespace, name } = bindingOf(release);
  const body = {
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: releaseResourceRole },
    subjects: [{ kind: "ServiceAccount", ...account }],
  };
  await client.create(body, {}, signal).catch((error: unknown) => {
    if (!(error instanceof ApiError) || !error.isAlreadyExists) throw error;
  });
  return `${namespace ?? ""}/${name}`;
}

/** Takes back what `bindManagedAccount` gave; quiet if it is gone. */
export async function unbindManagedAccount(
  release: KubeObject,
  client: Pick<KubeClient, "delete">,
  signal: AbortSignal,
): Promise<void> {
  await client.delete(bindingOf(release), {}, signal);
}
