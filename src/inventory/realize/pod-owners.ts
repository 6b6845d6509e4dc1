import { ApiError, describeRef, type KubeClient, type KubeObject, type ObjectRef, refOf } from "#kube";

/** The objects at the top of the pods' controllers, each once; or the first on the way up for which `isTop` holds. */
export async function ownersOf(
  pods: readonly KubeObject[],
  isTop: (kind: string) => boolean,
  client: KubeClient,
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const seen = new Map<string, Promise<ObjectRef>>();

  function climb(object: KubeObject): Promise<ObjectRef> {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller);
    if (!owner) return Promise.resolve(refOf(object));
    const { apiVersion, kind, name } = owner;
    const ref = { apiVersion, kind, name, namespace: object.metadata.namespace };
    const known = seen.get(owner.uid) ?? follow(ref);
    seen.set(owner.uid, known);
    return known;
  }

  async function follow(ref: ObjectRef): Promise<ObjectRef> {
    if (isTop(ref.kind)) return ref;
    try {
      return await climb(await client.get({ ...ref, metadataOnly: true }, signal));
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return ref;
      throw error;
    }
  }

  const owners = await Promise.all(pods.map(climb));
  return [...new Map(owners.map((owner) => [describeRef(owner), owner])).values()];
}
