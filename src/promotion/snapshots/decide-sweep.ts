import { parseDuration } from "#base";
import type { KubeObject } from "#kube";
import { promotionAnnotations, snapshotConditions } from "../kinds/promotion-names.ts";
import { readSnapshot, type TestedSnapshot } from "../scenarios/tested-snapshot.ts";
import type { GroupState } from "./decide-group.ts";
import { snapshotCondition } from "./snapshot-condition.ts";
import type { SweepLimits } from "./sweep-limits.ts";

export interface SweepObservation {
  /** All Snapshots of a namespace. */
  readonly snapshots: readonly KubeObject[];
  /** The names of Snapshots that a Release refers to. */
  readonly released: ReadonlySet<string>;
  readonly limits: SweepLimits;
  readonly now: number;
}

const dayMs = 24 * 60 * 60_000;

/** The Snapshots of a namespace that are no longer needed. What is kept for a reason counts, and the newest fill the rest. */
export function decideSweep({ snapshots, released, limits, now }: SweepObservation): readonly KubeObject[] {
  const newestFirst = snapshots
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(readSnapshot)
    .toSorted((one, other) => createdAt(other) - createdAt(one));
  const perComponent = new Map<string, number>();
  const left = { pullRequests: limits.pullRequests, others: limits.others };
  const isCounted = (snapshot: TestedSnapshot): boolean => {
    if (snapshot.type !== "component" || snapshot.component === undefined || !snapshot.isPush) return false;
    const count = (perComponent.get(snapshot.component) ?? 0) + 1;
    perComponent.set(snapshot.component, count);
    return count <= limits.perComponent;
  };
  const rest = newestFirst.filter((snapshot) => {
    const isFixed = released.has(snapshot.name) || isKept(snapshot, now);
    // Counted in any case, so that kept ones take their place among the newest of the component.
    if (!isCounted(snapshot) && !isFixed) return true;
    left[snapshot.isPush ? "others" : "pullRequests"] -= 1;
    return false;
  });
  return rest
    .filter((snapshot) => {
      if (!snapshot.isPush && isHistory(snapshot)) return true;
      const share = snapshot.isPush ? "others" : "pullRequests";
      if (left[share] > 0) {
        left[share] -= 1;
        return false;
      }
      return snapshot.isPush || !isWaitingForGroup(snapshot, now);
    })
    .map(({ object }) => object);
}

function createdAt({ object }: TestedSnapshot): number {
  return Date.parse(object.metadata.creationTimestamp ?? "") || 0;
}

/** `true`, or a duration since the creation; a duration that cannot be read has passed. */
function isKept(snapshot: TestedSnapshot, now: number): boolean {
  const keep = snapshot.annotations[promotionAnnotations.keepSnapshot];
  if (keep === undefined || keep === "true") return keep === "true";
  return createdAt(snapshot) + (parseDuration(keep) ?? 0) > now;
}

/** Superseded, or of a pull request that is merged. */
function isHistory({ annotations, object }: TestedSnapshot): boolean {
  if (annotations[promotionAnnotations.pullRequestStatus] === "merged") return true;
  return snapshotCondition(object, snapshotConditions.integration)?.reason === "Canceled";
}

function isWaitingForGroup(snapshot: TestedSnapshot, now: number): boolean {
  const waiting: GroupState = "waiting";
  return snapshot.annotations[promotionAnnotations.groupState] === waiting && createdAt(snapshot) + dayMs > now;
}
