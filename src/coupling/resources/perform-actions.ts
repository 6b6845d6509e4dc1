import { type Clock, ConflictError, InputError } from "#base";
import { ApiError, describeRef, type KubeClient, type KubeObject, type ObjectRef, refOf } from "#kube";
import { annotations, couplingFieldManager } from "../kinds/names.ts";
import type { CouplingEntry } from "../kinds/shared-status.ts";
import { type Claims, entryKey, entryOf } from "./inventory-entries.ts";
import {
  holderOf,
  isMadeByUs,
  isMarked,
  isOfferedForAdoption,
  isOurs,
  markObject,
  type ObjectOrigin,
} from "./mark-object.ts";
import type { RenderedAction } from "./render-resources.ts";

type MakingClient = Pick<KubeClient, "apply" | "delete" | "find">;

export interface ActionOptions {
  readonly origin: ObjectOrigin;
  /** The objects of earlier attempts according to the status, which other writers may have changed: not proof of ownership. */
  readonly known: readonly CouplingEntry[];
  readonly claims: Claims;
  /** The cached object, at least its metadata; saves a read. */
  readonly cached: (ref: ObjectRef) => KubeObject | undefined;
  /** Whether the cache shows that the object does not exist; false if the kind is not cached. Saves a read. */
  readonly isAbsent: (ref: ObjectRef) => boolean;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/** An action that failed, and the objects that were created before it. */
export class ActionError extends Error {
  readonly made: readonly CouplingEntry[];
  readonly field: string;

  constructor(cause: unknown, field: string, made: readonly CouplingEntry[]) {
    super(`${field} failed`, { cause });
    this.field = field;
    this.made = made;
  }

  override get name(): string {
    return "CarryOutError";
  }
}

/**
 * Performs the actions one after the other, with the rights of the client. The first failure throws an `ActionError` with the
 * objects that were created before it.
 */
export async function performActions(
  actions: readonly RenderedAction[],
  client: MakingClient,
  options: ActionOptions,
  signal: AbortSignal,
): Promise<CouplingEntry[]> {
  const made = new Map<string, CouplingEntry>();
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
      throw new ActionError(error, action.field, [...made.values()]);
    }
  }
  return [...made.values()];
}

/**
 * Applies an object. An object that existed before, and that no plug or socket created, gets the fields of the template without
 * our labels and owner: we must not delete it, and the garbage collector must not either.
 */
async function make(
  action: RenderedAction,
  client: MakingClient,
  options: ActionOptions,
  signal: AbortSignal,
): Promise<CouplingEntry> {
  const known = options.known.find((entry) => entryKey(entry) === entryKey(entryOf(action)));
  const cached = options.cached(refOf(action.object));
  const isKnownAsOurs = cached !== undefined && known?.uid === cached.metadata.uid && isOurs(cached, options.origin);
  // The cache does not have what another plug is creating right now.
  const isAbsent = !isClaimedByOthers(action, options) && options.isAbsent(refOf(action.object));
  const live =
    action.do === "recreate" || !(isKnownAsOurs || isAbsent)
      ? await client.find(refOf(action.object), signal)
      : undefined;
  const isForeign = live !== undefined && judge(live, action, options) === "foreign";
  if (action.do === "recreate" && live) await removeForRecreation(live, isForeign, action, client, options, signal);
  // What others changed since is taken back.
  const isOwn = live === undefined ? isKnownAsOurs : known?.uid === live.metadata.uid && isOurs(live, options.origin);
  const force = action.isRepaired && isOwn;
  const applied = await apply(action, { isForeign, force }, client, options, signal);
  const isSurprise = live === undefined && applied.metadata.uid !== known?.uid && !isMadeByUs(applied);
  if (!isSurprise || isOfferedForAdoption(applied)) return confirmed(action, applied, isForeign);
  return confirmed(action, await apply(action, { isForeign: true, force: false }, client, options, signal), true);
}

async function apply(
  { object, isRetained }: RenderedAction,
  { isForeign, force }: { readonly isForeign: boolean; readonly force: boolean },
  client: MakingClient,
  { origin }: ActionOptions,
  signal: AbortSignal,
): Promise<KubeObject> {
  const wanted = isForeign ? object : markObject(object, origin, { isRetained });
  const applied = await client.apply(wanted, { fieldManager: couplingFieldManager, force }, signal);
  if (applied.metadata.deletionTimestamp === undefined) return applied;
  throw new Error(`${describeRef(refOf(object))} is being deleted; it is applied again when it is gone`);
}

function confirmed(action: RenderedAction, applied: KubeObject, isForeign: boolean): CouplingEntry {
  const { apiVersion, kind } = action.object;
  const entry = entryOf({ ...action, object: { ...applied, apiVersion, kind } });
  return isForeign ? { ...entry, retained: true } : entry;
}

function isClaimedByOthers(action: RenderedAction, { origin, claims }: ActionOptions): boolean {
  return claims.isHeldByOthers(entryOf(action), holderOf(origin));
}

/** The owner of a live object. An object that another plug or socket claims is refused: both would write it in turn. */
function judge(live: KubeObject, action: RenderedAction, options: ActionOptions): "ours" | "foreign" {
  const { origin } = options;
  if (isOurs(live, origin) || isOfferedForAdoption(live)) return "ours";
  if (!isMarked(live)) return "foreign";
  if (!isClaimedByOthers(action, options)) return "ours";
  throw new ConflictError(`${describeRef(refOf(live))} already exists`, {
    owner: live.metadata.annotations?.[annotations.owner] ?? "another plug or socket",
    next: "give the object another name",
  });
}

/** Deletes the object and waits until it is gone; an object that is not ours is refused. */
async function removeForRecreation(
  live: KubeObject,
  isForeign: boolean,
  { object, field }: RenderedAction,
  client: MakingClient,
  { origin, clock }: ActionOptions,
  signal: AbortSignal,
): Promise<void> {
  const ref = refOf(object);
  if (isForeign) {
    throw new InputError(`${describeRef(ref)} already exists and was not created by this ${origin.owner.kind}`, {
      where: field,
      next: `give the object another name, or allow its recreation by the annotation ${annotations.adopt}: "true" on it`,
    });
  }
  const { uid } = live.metadata;
  try {
    await client.delete(ref, { uid, propagation: "Background" }, signal);
  } catch (error) {
    // The uid differs: the old object is gone, and another one has the name.
    if (!(error instanceof ApiError && error.isConflict)) throw error;
  }
  await waitForAbsence(ref, uid, client, clock, signal);
}

/** Waiting blocks a worker; after this time it is retried like any failure. */
const longestMs = 5_000;
const firstPauseMs = 20;
const longestPauseMs = 1_000;

/** Waits until an object is gone, or another one has its name. Throws if finalizers keep it for too long. */
async function waitForAbsence(
  ref: ObjectRef,
  uid: string | undefined,
  client: Pick<KubeClient, "find">,
  clock: Pick<Clock, "monotonic" | "sleep">,
  signal: AbortSignal,
): Promise<void> {
  const end = clock.monotonic() + longestMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const live = await client.find(ref, signal);
    if (!live || live.metadata.uid !== uid) return;
    if (clock.monotonic() >= end) {
      const keepers = live.metadata.finalizers?.join(", ") ?? "its garbage collector";
      throw new Error(`${describeRef(ref)} still exists ${longestMs / 1000} s after its deletion, kept by ${keepers}`);
    }
    await clock.sleep(pauseMs, signal);
  }
}
