import { type KubeClient, type KubeObject, refOf } from "#kube";
import { preconditions, writeConditionally } from "./write-conditionally.ts";

type FinalizerClient = Pick<KubeClient, "find" | "patch">;

/**
 * Makes sure that the object has the finalizer, and gives back the object as it then is, or undefined when it is gone.
 * An object that is being deleted stays as it is: the API server takes no new finalizers then.
 */
export function addFinalizer(
  object: KubeObject,
  finalizer: string,
  client: FinalizerClient,
  signal?: AbortSignal,
): Promise<KubeObject | undefined> {
  return changeFinalizers(
    object,
    client,
    (finalizers, isDeleted) => (isDeleted || finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer]),
    signal,
  );
}

/** Makes sure that the object does not have the finalizer; quiet when the object is gone. */
export async function removeFinalizer(
  object: KubeObject,
  finalizer: string,
  client: FinalizerClient,
  signal?: AbortSignal,
): Promise<void> {
  await changeFinalizers(
    object,
    client,
    (finalizers) => (finalizers.includes(finalizer) ? finalizers.filter((each) => each !== finalizer) : finalizers),
    signal,
  );
}

export function hasFinalizer({ metadata: { finalizers = [] } }: KubeObject, finalizer: string): boolean {
  return finalizers.includes(finalizer);
}

/** The merge patch carries the version that was read, because it replaces the whole list and would undo a concurrent change. */
function changeFinalizers(
  object: KubeObject,
  client: FinalizerClient,
  change: (finalizers: readonly string[], isDeleted: boolean) => readonly string[],
  signal: AbortSignal | undefined,
): Promise<KubeObject | undefined> {
  return writeConditionally(
    object,
    client,
    (current) => {
      const { finalizers = [], deletionTimestamp } = current.metadata;
      const changed = change(finalizers, deletionTimestamp !== undefined);
      if (changed === finalizers) return undefined;
      const body = { metadata: { ...preconditions(current), finalizers: changed } };
      return client.patch(refOf(current), { type: "merge", body }, signal);
    },
    signal,
  );
}
