import { type KubeClient, type KubeObject, refOf } from "#kube";
import { preconditions, writeConditionally } from "#runtime";
import { fitAnnotations } from "./fit-annotations.ts";

export interface MetadataChange {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** The whole list. */
  readonly finalizers?: readonly string[];
}

/** Changes labels, annotations as far as there is room, and finalizers in one write. Undefined if the object is gone. */
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
      const metadata = withRoom(change(current), current);
      if (Object.keys(metadata).length === 0) return undefined;
      const body = { metadata: { ...preconditions(current), ...metadata } };
      return client.patch(refOf(current), { type: "merge", body }, signal);
    },
    signal,
  );
}

function withRoom({ annotations, ...rest }: MetadataChange, { metadata }: KubeObject): MetadataChange {
  const fitting = fitAnnotations(metadata.annotations ?? {}, annotations ?? {});
  return Object.keys(fitting).length === 0 ? rest : { ...rest, annotations: fitting };
}
