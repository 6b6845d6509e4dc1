import { createHash } from "node:crypto";
import { type Clock, ConflictError, InputError } from "#base";
import { findDrift } from "#inventory";
import { ApiError, describeRef, type KubeClient, type KubeObject, type ObjectRef, refOf } from "#kube";
import { annotations, type CouplingEntry, couplingFieldManager, jsonObject } from "../kinds/index.ts";
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

/** How the plugs of a socket share the objects that its templates give the same name for several of them. */
export interface ObjectSharing {
  /** Changes with what all plugs of the socket have in common: a wish on another basis is out of date. */
  readonly basis: string;
  /** Whether a plug whose wish is not known was updated since the socket was last changed. */
  readonly isCurrent: (plugUid: string) => boolean;
  /** Reports the clash to the socket's owner. Returns the name of the other plug, as the refused plug may see it. */
  readonly reportClash: (ref: ObjectRef, otherUid: string) => string;
}

type MakingClient = Pick<KubeClient, "apply" | "delete" | "find">;

export interface ActionOptions {
  readonly origin: ObjectOrigin;
  /** The objects of earlier attempts according to the status, which other writers may have changed: not proof of ownership. */
  readonly known: readonly CouplingEntry[];
  readonly claims: Claims;
  /** Undefined: the objects have one owner. */
  readonly sharing?: ObjectSharing | undefined;
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
        await refuseOtherContent(action, client, options, signal);
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

/**
 * Refuses an object that another plug of the socket has with another content: they would write it in turn, and the last one would
 * leave its content to the others. After a restart the others' wishes are unknown, and the live object stands for them.
 */
async function refuseOtherContent(
  action: RenderedAction,
  client: MakingClient,
  { sharing, claims, origin }: ActionOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!sharing || action.side !== "socket") return;
  const [entry, ref] = [entryOf(action), refOf(action.object)];
  const content = createHash("sha256").update(JSON.stringify(action.object)).digest("base64");
  const others = claims.wish(entry, holderOf(origin), { basis: sharing.basis, content });
  let [other] = others.find(([, wish]) => wish?.basis === sharing.basis && wish.content !== content) ?? [];
  if (other === undefined) {
    const [unknown] = others.find(([uid, wish]) => wish === undefined && sharing.isCurrent(uid)) ?? [];
    const live = unknown === undefined ? undefined : await client.find(ref, signal);
    const isSame = !live || findDrift(jsonObject(action.object), jsonObject(live)).length === 0;
    if (!isSame && isOurs(live, origin)) other = unknown;
  }
  if (other === undefined) return;
  claims.refuse(entry, holderOf(origin));
  throw new ConflictError(`${describeRef(ref)} already exists with another content`, {
    owner: sharing.reportClash(ref, other),
    next: "ask the owner of the socket to put .plug.metadata.uid into the name of the object",
  });
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
