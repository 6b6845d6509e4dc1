import type { KubeClient, KubeObject, OwnerReference } from "#kube";
import type { OwnWorkload } from "./guard-self.ts";

/** A pod is owned by a ReplicaSet, that by a Deployment; nothing of Kubernetes is owned more deeply. */
const deepest = 4;

/** Climbs from the pod that we run in to what owns it: a Deployment, a StatefulSet, a CronJob. */
export async function findOwnWorkload(
  client: Pick<KubeClient, "find">,
  pod: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<OwnWorkload | undefined> {
  const { namespace } = pod;
  let found = await client.find({ apiVersion: "v1", kind: "Pod", ...pod, metadataOnly: true }, signal);
  let owner: OwnerReference | undefined;
  for (let depth = 0; found && depth < deepest; depth += 1) {
    const next = controllerOf(found);
    if (!next) break;
    owner = next;
    const { apiVersion, kind, name } = next;
    found = await client.find({ apiVersion, kind, namespace, name, metadataOnly: true }, signal);
  }
  return owner && { namespace, kind: owner.kind, name: owner.name };
}

function controllerOf({ metadata: { ownerReferences = [] } }: KubeObject): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
}
