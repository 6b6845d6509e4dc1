import { describeRef, type KubeObject, refOf } from "#kube";
import type { RealizeContext } from "./realize-context.ts";
import { waitFor } from "./wait.ts";

/** Deletes exactly this object, and returns when it is gone. */
export async function deleteAndWait(
  live: KubeObject,
  propagation: "Background" | "Foreground" | "Orphan",
  { client, writer, clock, waitMs: timeoutMs, dryRun }: RealizeContext,
  signal: AbortSignal,
): Promise<void> {
  const ref = refOf(live);
  const { uid } = live.metadata;
  await writer.delete(ref, { uid, propagation }, signal);
  if (dryRun) return;
  const look = async () => {
    const found = await client.find({ ...ref, metadataOnly: true }, signal);
    if (!found || found.metadata.uid !== uid) return undefined;
    const { finalizers = [] } = found.metadata;
    return finalizers.length === 0 ? "it is still there" : `its finalizers are still there: ${finalizers.join(", ")}`;
  };
  await waitFor(`${describeRef(ref)} to be gone`, look, { clock, timeoutMs }, signal);
}
