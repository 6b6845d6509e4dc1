import { type KubeClient, type KubeObject, refOf } from "#kube";
import { preconditions, writeConditionally } from "#runtime";

export interface MetadataChange {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** The whole list. */
  readonly finalizers?: readonly string[];
}

/** Changes labels, annotations and finalizers in one write. Undefined if the object is gone. */
export async function patchMetadata(
  object: KubeObject,
  change: (current: KubeObject) => MetadataChange,
  client: Pick<KubeClient, "find" | "patch">,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return await writeConditionally(
    object,
    client,
    (current) => {
      const metadata = change(current);
      if (Object.keys(metadata).length === 0) return undefined;
      const body = { metadata: { ...preconditions(current), ...metadata } };
      return client.patch(refOf(current), { type: "merge", body }, signal);
    },
    signal,
  );
}
