import { ApiError, type KubeClient, type ObjectRef } from "#kube";
import type { InventoryEntry } from "../kinds/shared-status.ts";
import type { Claims } from "./claims.ts";
import { type Belonging, isOurs } from "./mark-object.ts";

export interface RemoveOptions {
  readonly belonging: Belonging;
  readonly claims: Claims;
}

/** Entries that could not be removed, each with the reason. */
export interface NotRemoved {
  readonly entry: InventoryEntry;
  readonly error: unknown;
}

/**
 * Deletes what a side has made, last first: not what is retained, what others have made too, or what is not ours any more.
 * One that cannot be deleted keeps none of the others.
 */
export async function removeObjects(
  entries: readonly InventoryEntry[],
  client: KubeClient,
  { belonging, claims }: RemoveOptions,
  signal: AbortSignal,
): Promise<NotRemoved[]> {
  const left: NotRemoved[] = [];
  const { plugUid = "" } = belonging;
  for (const entry of entries.toReversed()) {
    try {
      await claims.exclusively(entry, async () => {
        claims.giveUp(entry, plugUid);
        if (entry.retained || claims.isHeldByOthers(entry, plugUid)) return;
        await remove(entry, client, belonging, signal);
      });
    } catch (error) {
      signal.throwIfAborted();
      left.push({ entry, error });
    }
  }
  return left;
}

/** By the uid that we know; if another object has the name, or we were stopped before we knew, only if it bears our marks. */
async function remove(
  entry: InventoryEntry,
  client: KubeClient,
  belonging: Belonging,
  signal: AbortSignal,
): Promise<void> {
  const ref = refOfEntry(entry);
  if (entry.uid !== undefined && (await isDeleted(ref, entry.uid, client, signal))) return;
  const uid = await uidOfOurs(ref, client, belonging, signal);
  if (uid !== undefined) await isDeleted(ref, uid, client, signal);
}

/** False: there is another object of the name. */
async function isDeleted(ref: ObjectRef, uid: string, client: KubeClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.delete(ref, { uid, propagation: "Background" }, signal);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.isConflict) return false;
    throw error;
  }
}

async function uidOfOurs(
  ref: ObjectRef,
  client: KubeClient,
  belonging: Belonging,
  signal: AbortSignal,
): Promise<string | undefined> {
  const live = await client.find(ref, signal);
  return live && isOurs(live, belonging) ? live.metadata.uid : undefined;
}

export function refOfEntry({ group, version, kind, namespace, name }: InventoryEntry): ObjectRef {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind, namespace, name };
}
