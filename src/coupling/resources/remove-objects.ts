import { ApiError, type KubeClient, type KubeObject, type ObjectRef } from "#kube";
import type { InventoryEntry } from "../kinds/shared-status.ts";
import type { Claims } from "./claims.ts";
import { type Belonging, holderOf, isOurs } from "./mark-object.ts";

type RemovingClient = Pick<KubeClient, "delete" | "find">;

export interface RemoveOptions {
  readonly belonging: Belonging;
  readonly claims: Claims;
  /** An object as far as we have heard of it, at least its metadata; saves a look. */
  readonly heard: (ref: ObjectRef) => KubeObject | undefined;
}

/** Entries that could not be removed, each with the reason. */
export interface NotRemoved {
  readonly entry: InventoryEntry;
  readonly error: unknown;
}

/**
 * Deletes what a side has made, last first: not what is retained, what others have made too, or what is not ours any more.
 * The entries are no proof, because they come from a status that others may have written: only what bears our marks goes, and
 * only in the side's own namespace. One that cannot be deleted keeps none of the others.
 */
export async function removeObjects(
  entries: readonly InventoryEntry[],
  client: RemovingClient,
  { belonging, claims, heard }: RemoveOptions,
  signal: AbortSignal,
): Promise<NotRemoved[]> {
  const left: NotRemoved[] = [];
  const holder = holderOf(belonging);
  for (const entry of entries.toReversed()) {
    if (entry.namespace !== undefined && entry.namespace !== belonging.owner.namespace) continue;
    try {
      await claims.exclusively(entry, async () => {
        claims.giveUp(entry, holder);
        if (entry.retained || claims.isHeldByOthers(entry, holder)) return;
        await remove(refOfEntry(entry), client, { belonging, heard }, signal);
      });
    } catch (error) {
      signal.throwIfAborted();
      left.push({ entry, error });
    }
  }
  return left;
}

/** What we have heard of may have been replaced meanwhile; then what is there now counts. */
async function remove(
  ref: ObjectRef,
  client: RemovingClient,
  { belonging, heard }: Pick<RemoveOptions, "belonging" | "heard">,
  signal: AbortSignal,
): Promise<void> {
  const known = uidOfOurs(heard(ref), belonging);
  if (known !== undefined && (await isDeleted(ref, known, client, signal))) return;
  const live = uidOfOurs(await client.find(ref, signal), belonging);
  if (live !== undefined) await isDeleted(ref, live, client, signal);
}

/** False: there is another object of the name. */
async function isDeleted(ref: ObjectRef, uid: string, client: RemovingClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.delete(ref, { uid, propagation: "Background" }, signal);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.isConflict) return false;
    throw error;
  }
}

function uidOfOurs(live: KubeObject | undefined, belonging: Belonging): string | undefined {
  return live && isOurs(live, belonging) ? live.metadata.uid : undefined;
}

export function refOfEntry({ group, version, kind, namespace, name }: InventoryEntry): ObjectRef {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind, namespace, name };
}
