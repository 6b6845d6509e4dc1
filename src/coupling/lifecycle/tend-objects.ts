import { InputError } from "#base";
import { findDrift, healthOf } from "#inventory";
import { describeRef, type KubeObject, refOf } from "#kube";
import type { TrackedStatus } from "#runtime";
import { couplingFieldManager, labels, repairedReason, type Stage, warnings } from "../kinds/names.ts";
import { jsonObject, kindOfSide, type Pair, sideOf } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import { type StageResource, stagesOf } from "../kinds/shared-spec.ts";
import type { CouplingEntry } from "../kinds/shared-status.ts";
import type { Socket } from "../kinds/socket.ts";
import { entryKey, entryOf, mergeEntries } from "../resources/inventory-entries.ts";
import { isOurs, markObject } from "../resources/mark-object.ts";
import { ActionError, performActions } from "../resources/perform-actions.ts";
import type { RenderedAction } from "../resources/render-resources.ts";
import type { ResolvedInputs, ResolvedMap, ResolvedResults } from "../sources/resolved.ts";
import { stableOf, stillPlug, stillSocket } from "../sources/template-data.ts";
import type { PlugAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { StageError } from "./coupling-failure.ts";
import { hasSharedWatch } from "./input-watches.ts";
import type { ObjectCare } from "./object-care.ts";
import { objectOrigin, prepareOwnStage, prepareResults, prepareStage } from "./prepare-stage.ts";
import type { UnreadyObject } from "./report-status.ts";
import { actionOptions, cachedObjects, clientOf, placingOf } from "./run-half.ts";

/** An object that was made, and is looked after from then on. */
interface TendedObject {
  readonly action: RenderedAction;
  readonly owner: Plug | Socket;
  readonly pair: Partial<Pair>;
  /** False: each rendering differs, so that only its absence can be noticed. */
  readonly isStable: boolean;
}

/** What looking after objects found. */
interface Tended {
  /** When to look again, if a repair waits. */
  readonly restMs: number | undefined;
  readonly unready: readonly UnreadyObject[];
}

/** Where the objects of a plug or a socket are looked after. */
export interface Tending {
  readonly care: ObjectCare;
  readonly status: TrackedStatus;
  /** The objects that were made. */
  readonly inventory: readonly CouplingEntry[];
  /** Called with each repaired object. */
  readonly onMade: (made: readonly CouplingEntry[]) => void;
}

export function tendingOf({ session, memory, status }: PlugAttempt): Tending {
  return {
    care: session.care,
    status,
    inventory: memory.inventory,
    onMade: (made) => {
      memory.inventory = mergeEntries(memory.inventory, made);
    },
  };
}

function isTended({ repair, waitFor }: Pick<StageResource, "repair" | "waitFor">): boolean {
  return repair === true || waitFor !== undefined;
}

function isOwnTended(resource: StageResource): boolean {
  return isTended(resource) && !stagesOf(resource).some((stage) => stage === "coupled" || stage === "updated");
}

/** The objects of `created` that no later stage renders: only these are as `created` made them. */
export async function ownTended(
  owner: Plug | Socket,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<readonly TendedObject[]> {
  if (!owner.spec.resources?.some(isOwnTended)) return [];
  const options = { ...placingOf(deps), only: isOwnTended };
  const prepare = (object: Plug | Socket) => prepareOwnStage(object, "created", options, signal);
  const actions = await prepare(owner);
  const still = owner.kind === "Plug" ? stillPlug(owner) : stillSocket(owner);
  const isStable = comparedWith(await unlessInvalid(prepare(still)));
  return actions.map((action) => ({ action, owner, pair: {}, isStable: isStable(action) }));
}

/** The objects of the pairing: of its stage, and of its results as far as they are known. */
export async function pairingTended(
  pair: Pair,
  stage: Stage,
  inputs: ResolvedInputs,
  results: ResolvedResults | undefined,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<readonly TendedObject[]> {
  const wants = ({ spec: { resources = [], resultResources = [] } }: Plug | Socket): boolean =>
    [...resources, ...resultResources].some(isTended);
  if (!wants(pair.plug) && !wants(pair.socket)) return [];
  const options = { ...placingOf(deps), only: isTended };
  const prepare = async (of: Pair, select: (map: ResolvedMap) => ResolvedMap): Promise<RenderedAction[]> => {
    const configs = { plugConfig: select(inputs.plugConfig), socketConfig: select(inputs.socketConfig) };
    const { plug, socket } = await prepareStage(of, stage, configs, options, signal);
    if (!results) return [...plug, ...socket];
    const known = { plugResult: select(results.plugResult), socketResult: select(results.socketResult) };
    return [...plug, ...socket, ...(await prepareResults(of, configs, known, options, signal))];
  };
  const actions = await prepare(pair, (map) => map);
  const stillPair = { plug: stillPlug(pair.plug), socket: stillSocket(pair.socket) };
  const isStable = comparedWith(await unlessInvalid(prepare(stillPair, stableOf)));
  return actions.map((action) => ({ action, owner: pair[action.side], pair, isStable: isStable(action) }));
}

/** Whether an object is the same without what changes by itself; undefined: without it, the templates cannot be rendered. */
function comparedWith(still: readonly RenderedAction[] | undefined): (action: RenderedAction) => boolean {
  const texts = new Map(still?.map((action) => [entryKey(entryOf(action)), JSON.stringify(action.object)]));
  return (action) => texts.get(entryKey(entryOf(action))) === JSON.stringify(action.object);
}

async function unlessInvalid<Value>(rendering: Promise<Value>): Promise<Value | undefined> {
  try {
    return await rendering;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/**
 * Puts back what others deleted or changed, and finds what is not ready. `follow` is called before anything is read, so that no
 * change is missed.
 */
export async function tendObjects(
  rendered: readonly TendedObject[],
  tending: Tending,
  follow: () => void,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<Tended> {
  const { care, status, inventory } = tending;
  const made = new Set(inventory.map(entryKey));
  // A name that differs each time was never made, and would be made for ever.
  const objects = rendered.filter(({ action }) => made.has(entryKey(entryOf(action))));
  const keys = objects.map(({ action }) => entryKey(entryOf(action)));
  if (keys.length === 0 && care.followed.length === 0) return { restMs: undefined, unready: [] };
  care.keepOnly(new Set(keys));
  care.followed = objects.map(({ action }) => ({ ...refOf(action.object), side: action.side }));
  follow();
  const rests: number[] = [];
  const loops: string[] = [];
  for (const object of objects.filter(({ action }) => action.isRepaired)) {
    const { restMs, loop } = await repairIfChanged(object, tending, deps, signal);
    if (restMs !== undefined) rests.push(restMs);
    if (loop !== undefined) loops.push(loop);
  }
  const [message] = loops;
  if (message === undefined) status.removeCondition("RepairLoop");
  else status.setCondition({ type: "RepairLoop", status: "True", reason: "ChangedAgain", message });
  const unready: UnreadyObject[] = [];
  for (const object of objects) unready.push(...(await findUnready(object, deps, signal)));
  return { restMs: rests.length === 0 ? undefined : Math.min(...rests), unready };
}

/** Reads an object with `waitFor`. */
async function findUnready(
  { action, owner }: TendedObject,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<UnreadyObject[]> {
  const { waitFor, object, field } = action;
  if (waitFor === undefined) return [];
  const live = await clientOf(owner, deps)
    .find(refOf(object), signal)
    .catch((error: unknown) => {
      signal.throwIfAborted();
      throw new StageError(new ActionError(error, field, []), "repair", sideOf(owner));
    });
  const health = live ? healthOf(live) : ({ is: "pending", missing: "it does not exist" } as const);
  if (health.is === "ready") return [];
  const why = health.is === "failed" ? `failed: ${health.why}` : health.missing;
  return [
    {
      message: `${describeRef(refOf(object))}: ${why}`,
      hasFailed: health.is === "failed",
      isRequired: waitFor === "Ready",
    },
  ];
}

interface Repair {
  /** When to look again. */
  readonly restMs?: number | undefined;
  /** The object was repaired too often. */
  readonly loop?: string | undefined;
}

async function repairIfChanged(
  tended: TendedObject,
  { care, inventory, onMade }: Tending,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<Repair> {
  const { action, owner, pair } = tended;
  const side = sideOf(owner);
  const ref = refOf(action.object);
  const key = entryKey(entryOf(action));
  const name = describeRef(ref);
  const often = `others keep changing ${name} (${action.field} of the ${side}) after each repair`;
  const calm = { restMs: care.calmInMs(key), ...(care.calmInMs(key) === undefined ? {} : { loop: often }) };
  const cached = hasSharedWatch(ref) ? cachedObjects(deps)(ref) : undefined;
  if (cached && care.isRight(key, cached.metadata.resourceVersion ?? "")) return calm;
  try {
    const live = await clientOf(owner, deps).find(ref, signal);
    // The watch reports when it is gone.
    if (live?.metadata.deletionTimestamp !== undefined) return calm;
    if (live && !isChanged(live, tended)) {
      care.noteRight(key, live.metadata.resourceVersion ?? "");
      return calm;
    }
    const loop = care.repairsOf(key);
    const { restMs } = loop;
    if (restMs > 0) {
      const message = `${often}; repairs wait longer and longer, up to 5 minutes${live ? changedBy(live) : ""}`;
      deps.report.events[kindOfSide[side]].record(owner, { type: "Warning", reason: warnings.repairLoop, message });
      return { restMs, loop: message };
    }
    loop.note();
    onMade(await performActions([action], clientOf(owner, deps), actionOptions(owner, pair, inventory, deps), signal));
    const message = `${name} was ${live ? "changed" : "deleted"}, and is put back${live ? changedBy(live) : ""}`;
    deps.report.events[kindOfSide[side]].record(owner, { type: "Normal", reason: repairedReason, message });
    return { restMs: care.calmInMs(key), ...(loop.isLooping ? { loop: often } : {}) };
  } catch (error) {
    signal.throwIfAborted();
    const failed = error instanceof ActionError ? error : new ActionError(error, action.field, []);
    throw new StageError(failed, "repair", side);
  }
}

/** Whether fields of the template, or our marks, are no longer there. */
function isChanged(live: KubeObject, { action, owner, pair, isStable }: TendedObject): boolean {
  if (!isStable) return false;
  const origin = objectOrigin(owner, pair);
  const wanted = isOurs(live, origin) ? markObject(action.object, origin, action) : action.object;
  // Plugs that share an object write this label in turn.
  const { [labels.plugUid]: _, ...others } = wanted.metadata.labels ?? {};
  const compared = { ...wanted, metadata: { ...wanted.metadata, labels: others } };
  return findDrift(jsonObject(compared), jsonObject(live)).length > 0;
}

/** For messages: who wrote an object last, as its managed fields tell. */
function changedBy({ metadata: { managedFields = [] } }: KubeObject): string {
  const [last] = managedFields
    .filter(({ manager }) => manager !== couplingFieldManager)
    .toSorted((one, other) => ((one.time ?? "") < (other.time ?? "") ? 1 : -1));
  return last?.manager === undefined ? "" : `; last written by ${last.manager}`;
}
