import { healthOf } from "#inventory";
import { describeRef, refOf } from "#kube";
import type { TrackedStatus } from "#runtime";
import { sideOf } from "../kinds/index.ts";
import { entryKey, entryOf, mergeEntries } from "../resources/inventory-entries.ts";
import { ActionError } from "../resources/perform-actions.ts";
import type { PlugAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { StageError } from "./coupling-failure.ts";
import { repairIfChanged, type Repairing } from "./repair-object.ts";
import type { UnreadyObject } from "./report-status.ts";
import { clientOf } from "./side-actions.ts";
import type { TendedObject } from "./tended-objects.ts";

/** What looking after objects found. */
interface Tended {
  /** When to look again, if a repair waits. */
  readonly restMs: number | undefined;
  readonly unready: readonly UnreadyObject[];
}

/** Where the objects of a plug or a socket are looked after. */
interface Tending extends Repairing {
  readonly status: TrackedStatus;
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
