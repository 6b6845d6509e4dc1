import { ApiError, type KubeClient, type KubeObject, refOf } from "#kube";

const mostAttempts = 5;

/**
 * Makes a write that is refused with 409 when the object is no longer the one given, then reads it again and lets `write`
 * decide anew. Gives back the object as it then is, or undefined when it has vanished: one made since under its name is
 * another one. `write` gives back undefined when there is nothing to do.
 */
export async function writeConditionally(
  object: KubeObject,
  client: Pick<KubeClient, "find">,
  write: (current: KubeObject) => Promise<KubeObject> | undefined,
  signal?: AbortSignal,
): Promise<KubeObject | undefined> {
  let current = object;
  for (let attempt = 1; ; attempt++) {
    try {
      return await (write(current) ?? current);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.isNotFound) return undefined;
      if (!error.isConflict || attempt === mostAttempts) throw error;
    }
    const found = await client.find(refOf(object), signal);
    if (!found || found.metadata.uid !== object.metadata.uid) return undefined;
    current = found;
  }
}

/** What a patch needs for the API server to refuse it when the object has changed or is another one. */
export function preconditions({ metadata: { uid, resourceVersion } }: KubeObject) {
  return { uid, resourceVersion };
}
