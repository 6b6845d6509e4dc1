import type { Readiness } from "#inventory";

/** A workload that is to have the binding. */
export interface ProjectedWorkload {
  readonly name: string;
  readonly isMounted: boolean;
  readonly health: Readiness;
  /** When the binding was last mounted, in milliseconds since the epoch. */
  readonly since: number | undefined;
}

/** A restart may take so long before the next workload has its turn: as long as a Deployment may make no progress. */
export const patienceMs = 10 * 60_000;

/** What happens next. */
export interface Turn<Item> {
  /** The workload whose turn it is. */
  readonly next?: Item;
  /** The one that still restarts, for so long at most. */
  readonly restarting?: Item;
  readonly restMs?: number;
  /** How many wait for their turn, without the next. */
  readonly waiting: number;
}

/** One workload after the other, by name: the next has its turn when the last one has restarted. */
export function decideTurn<Item extends ProjectedWorkload>(workloads: readonly Item[], now: number): Turn<Item> {
  const due = workloads
    .filter(({ isMounted }) => !isMounted)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const restarting = workloads.find(
    ({ isMounted, health, since = 0 }) => isMounted && health.is !== "ready" && now - since < patienceMs,
  );
  if (restarting) {
    return { restarting, restMs: (restarting.since ?? 0) + patienceMs - now, waiting: due.length };
  }
  const [next, ...waiting] = due;
  return next ? { next, waiting: waiting.length } : { waiting: 0 };
}
