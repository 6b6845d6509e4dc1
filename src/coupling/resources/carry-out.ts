import type { Clock } from "#base";
import { ConflictError, InputError } from "#base";
import { ApiError, describeRef, type KubeClient, type KubeObject, type ObjectRef, refOf } from "#kube";
import { annotations, fieldManager } from "../kinds/names.ts";
import type { InventoryEntry } from "../kinds/shared-status.ts";
import type { Claims } from "./claims.ts";
import {
  type Belonging,
  holderOf,
  isMadeByUs,
  isMarked,
  isOfferedForAdoption,
  isOurs,
  markObject,
} from "./mark-object.ts";
import { entryKey, entryOf, type RenderedAction } from "./rendered.ts";
import { waitForAbsence } from "./wait-for-absence.ts";

type MakingClient = Pick<KubeClient, "apply" | "delete" | "find">;

export interface CarryOutOptions {
  readonly belonging: Belonging;
  /** What earlier attempts made, as a status says that others may have written: no proof that something is ours. */
  readonly known: readonly InventoryEntry[];
  readonly claims: Claims;
  /** An object as far as we have heard of it, at least its metadata; saves a look. */
  readonly heard: (ref: ObjectRef) => KubeObject | undefined;
  /** Whether there is no such object, as far as we have heard; false where nobody tells us. Saves a look. */
  readonly isAbsent: (ref: ObjectRef) => boolean;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/** An action that failed, and what was made before it. */
export class CarryOutError extends Error {
  readonly made: readonly InventoryEntry[];
  readonly field: string;

  constructor(cause: unknown, field: string, made: readonly InventoryEntry[]) {
    super(`${field} failed`, { cause });
    this.field = field;
    this.made = made;
  }

  override get name(): string {
    return "CarryOutError";
  }
}

/**
 * Does the actions one after the other, with the rights of the client. The first failure ends it: a `CarryOutError` with what
 * was made until then.
 */
export async function carryOut(
  actions: readonly RenderedAction[],
  client: MakingClient,
  options: CarryOutOptions,
  signal: AbortSignal,
): Promise<InventoryEntry[]> {
  const made = new Map<string, InventoryEntry>();
  for (const action of actions) {
    const entry = entryOf(action);
    try {
      await options.claims.exclusively(entry, async () => {
        if (action.do === "delete") {
          await client.delete(refOf(action.object), { propagation: "Background" }, signal);
          made.delete(entryKey(entry));
          return;
        }
        made.set(entryKey(entry), await make(action, client, options, signal));
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new CarryOutError(error, action.field, [...made.values()]);
    }
  }
  return [...made.values()];
}

/**
 * Applies an object. One that was there before, and that nobody made for a plug or a socket, gets the fields of the template and
 * none of our marks: it is not ours to delete, and must not go with its supposed owner.
 */
async function make(
  action: RenderedAction,
  client: MakingClient,
  options: CarryOutOptions,
  signal: AbortSignal,
): Promise<InventoryEntry> {
  const known = options.known.find((entry) => entryKey(entry) === entryKey(entryOf(action)));
  const heard = options.heard(refOf(action.object));
  const isKnownAsOurs = heard !== undefined && known?.uid === heard.metadata.uid && isOurs(heard, options.belonging);
  // Of what others make just now, nobody has heard yet.
  const isAbsent = !isClaimedByOthers(action, options) && options.isAbsent(refOf(action.object));
  const live =
    action.do === "recreate" || !(isKnownAsOurs || isAbsent)
      ? await client.find(refOf(action.object), signal)
      : undefined;
  const isForeign = live !== undefined && judge(live, action, options) === "foreign";
  if (action.do === "recreate" && live) await removeForRecreation(live, isForeign, action, client, options, signal);
  const applied = await apply(action, isForeign, client, options, signal);
  const isSurprise = live === undefined && applied.metadata.uid !== known?.uid && !isMadeByUs(applied);
  if (!isSurprise || isOfferedForAdoption(applied)) return confirmed(action, applied, isForeign);
  return confirmed(action, await apply(action, true, client, options, signal), true);
}

async function apply(
  { object, isRetained }: RenderedAction,
  isForeign: boolean,
  client: MakingClient,
  { belonging }: CarryOutOptions,
  signal: AbortSignal,
): Promise<KubeObject> {
  const wanted = isForeign ? object : markObject(object, belonging, { isRetained });
  const applied = await client.apply(wanted, { fieldManager }, signal);
  if (applied.metadata.deletionTimestamp === undefined) return applied;
  throw new Error(`${describeRef(refOf(object))} is being deleted; it is applied again when it is gone`);
}

function confirmed(action: RenderedAction, applied: KubeObject, isForeign: boolean): InventoryEntry {
  const { apiVersion, kind } = action.object;
  const entry = entryOf({ ...action, object: { ...applied, apiVersion, kind } });
  return isForeign ? { ...entry, retained: true } : entry;
}

function isClaimedByOthers(action: RenderedAction, { belonging, claims }: CarryOutOptions): boolean {
  return claims.isHeldByOthers(entryOf(action), holderOf(belonging));
}

/** Whose a live object is. What another plug or socket has made, and still has, is refused: both would write it in turn. */
function judge(live: KubeObject, action: RenderedAction, options: CarryOutOptions): "ours" | "foreign" {
  const { belonging } = options;
  if (isOurs(live, belonging) || isOfferedForAdoption(live)) return "ours";
  if (!isMarked(live)) return "foreign";
  if (!isClaimedByOthers(action, options)) return "ours";
  throw new ConflictError(`${describeRef(refOf(live))} is there already`, {
    owner: live.metadata.annotations?.[annotations.owner] ?? "another plug or socket",
    next: "give the object another name",
  });
}

/** Deletes what is there and waits until it is gone; an object that is not ours is left alone. */
async function removeForRecreation(
  live: KubeObject,
  isForeign: boolean,
  { object, field }: RenderedAction,
  client: MakingClient,
  { belonging, clock }: CarryOutOptions,
  signal: AbortSignal,
): Promise<void> {
  const ref = refOf(object);
  if (isForeign) {
    throw new InputError(`${describeRef(ref)} is there already and was not made by this ${belonging.owner.kind}`, {
      where: field,
      next: `give the object another name, or allow its recreation by the annotation ${annotations.adopt}: "true" on it`,
    });
  }
  const { uid } = live.metadata;
  try {
    await client.delete(ref, { uid, propagation: "Background" }, signal);
  } catch (error) {
    // Another object of the name has come meanwhile: what was there is gone.
    if (!(error instanceof ApiError && error.isConflict)) throw error;
  }
  await waitForAbsence(ref, uid, client, clock, signal);
}
