import { ApiError, type KubeClient, type KubeObject, refOf } from "#kube";

const mostAttempts = 5;

/**
 * Optimistic locking: calls `write`, which must fail with 409 if the object has changed since it was read; then reads the
 * object again and calls `write` again. Returns the object after the write, or undefined if it was deleted, also if another
 * object has its name now. `write` returns undefined if there is nothing to do.
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

/** The metadata that makes the API server refuse a patch if the object has changed or was replaced. */
export function preconditions({ metadata: { uid, resourceVersion } }: KubeObject) {
  return { uid, resourceVersion };
}
