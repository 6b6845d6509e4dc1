import { ApiError, type KubeClient, type KubeObject, type ObjectRef } from "#kube";
import type { CouplingEntry } from "../kinds/index.ts";
import type { Claims } from "./inventory-entries.ts";
import { holderOf, isOurs, type ObjectOrigin } from "./mark-object.ts";

type RemovingClient = Pick<KubeClient, "delete" | "find">;

interface RemoveOptions {
  readonly origin: ObjectOrigin;
  readonly claims: Claims;
  /** The cached object, at least its metadata; saves a read. */
  readonly cached: (ref: ObjectRef) => KubeObject | undefined;
}

/** An entry that could not be deleted, and the reason. */
interface NotRemoved {
  readonly entry: CouplingEntry;
  readonly error: unknown;
}

/**
 * Deletes the objects of a side, last first, except retained ones and those that other plugs claim. The entries are not proof,
 * because other writers may have changed the status: only objects with our labels, in the side's own namespace, are deleted. A
 * failure does not stop the rest.
 */
export async function removeObjects(
  entries: readonly CouplingEntry[],
  client: RemovingClient,
  { origin, claims, cached }: RemoveOptions,
  signal: AbortSignal,
): Promise<NotRemoved[]> {
  const left: NotRemoved[] = [];
  const holder = holderOf(origin);
  for (const entry of entries.toReversed()) {
    if (entry.namespace !== undefined && entry.namespace !== origin.owner.namespace) continue;
    try {
      await claims.exclusively(entry, async () => {
        claims.giveUp(entry, holder);
        if (entry.retained || claims.isHeldByOthers(entry, holder)) return;
        await remove(refOfEntry(entry), client, { origin, cached }, signal);
      });
    } catch (error) {
      signal.throwIfAborted();
      // Without the right to read it, it was not created either; if it was, its owner reference has it deleted.
      const isOnlyPlanned = entry.uid === undefined;
      if (isOnlyPlanned && error instanceof ApiError && error.isForbidden) continue;
      left.push({ entry, error });
    }
  }
  return left;
}

/** The cached object may have been replaced; then the live one counts. */
async function remove(
  ref: ObjectRef,
  client: RemovingClient,
  { origin, cached }: Pick<RemoveOptions, "origin" | "cached">,
  signal: AbortSignal,
): Promise<void> {
  const known = uidOfOurs(cached(ref), origin);
  if (known !== undefined && (await isDeleted(ref, known, client, signal))) return;
  const live = uidOfOurs(await client.find(ref, signal), origin);
  if (live !== undefined) await isDeleted(ref, live, client, signal);
}

/** False: the name belongs to another object. */
async function isDeleted(ref: ObjectRef, uid: string, client: RemovingClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.delete(ref, { uid, propagation: "Background" }, signal);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.isConflict) return false;
    throw error;
  }
}

function uidOfOurs(live: KubeObject | undefined, origin: ObjectOrigin): string | undefined {
  return live && isOurs(live, origin) ? live.metadata.uid : undefined;
}

export function refOfEntry({ group, version, kind, namespace, name }: CouplingEntry): ObjectRef {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind, namespace, name };
}
