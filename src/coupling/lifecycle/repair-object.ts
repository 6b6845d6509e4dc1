import { findDrift } from "#inventory";
import { describeRef, type KubeObject, refOf } from "#kube";
import {
  type CouplingEntry,
  couplingFieldManager,
  jsonObject,
  kindOfSide,
  labels,
  repairedReason,
  sideOf,
  warnings,
} from "../kinds/index.ts";
import { entryKey, entryOf } from "../resources/inventory-entries.ts";
import { isOurs, markObject } from "../resources/mark-object.ts";
import { ActionError, performActions } from "../resources/perform-actions.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { StageError } from "./coupling-failure.ts";
import type { ObjectCare } from "./object-care.ts";
import { objectOrigin } from "./prepare-stage.ts";
import { actionOptions, cachedObjects, clientOf } from "./side-actions.ts";
import type { TendedObject } from "./tended-objects.ts";

/** Where objects are repaired. */
export interface Repairing {
  readonly care: ObjectCare;
  /** The objects that were made. */
  readonly inventory: readonly CouplingEntry[];
  /** Called with each repaired object. */
  readonly onMade: (made: readonly CouplingEntry[]) => void;
}

interface Repair {
  /** When to look again. */
  readonly restMs?: number | undefined;
  /** The object was repaired too often. */
  readonly loop?: string | undefined;
}

/** Puts an object back if others deleted or changed it. */
export async function repairIfChanged(
  tended: TendedObject,
  { care, inventory, onMade }: Repairing,
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
  const cached = cachedObjects(deps)(ref);
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
