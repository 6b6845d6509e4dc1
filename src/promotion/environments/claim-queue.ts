import { compareText } from "#base";
import type { ClassSettings } from "./class-settings.ts";

/** A claim of a class, as the queue sees it. */
export interface QueuedClaim {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  /** RFC 3339, in whole seconds. */
  readonly createdAt: string;
  /** Its environment exists, or is being made or removed. */
  readonly hasEnvironment: boolean;
}

export type QueuePlace =
  | { readonly isTurn: true }
  | { readonly isTurn: false; readonly place: number; readonly message: string };

/** Exact places of a long queue would be a status write a claim, each time one of them ends. */
const longestShown = 100;

/**
 * Whether it is a claim's turn: oldest first. A namespace that has used up its quota keeps only its own claims waiting.
 * `claims` are those of one class that have not ended, the asked one included.
 */
export function findQueuePlace(
  key: string,
  claims: readonly QueuedClaim[],
  { name, maxPerNamespace, maxTotal }: Pick<ClassSettings, "name" | "maxPerNamespace" | "maxTotal">,
): QueuePlace {
  const used = new Map<string, number>();
  const take = (namespace: string): void => void used.set(namespace, (used.get(namespace) ?? 0) + 1);
  const having = claims.filter(({ hasEnvironment }) => hasEnvironment);
  for (const { namespace } of having) take(namespace);
  let total = having.length;
  const waiting = claims.filter(({ hasEnvironment }) => !hasEnvironment).toSorted(olderFirst);
  const before = { inAll: 0, inNamespace: 0 };
  const own = claims.find((claim) => claim.key === key)?.namespace;
  for (const claim of waiting) {
    const isNamespaceFull = (used.get(claim.namespace) ?? 0) >= maxPerNamespace;
    const isTurn = !isNamespaceFull && total < maxTotal;
    if (claim.key === key) {
      if (isTurn) return { isTurn };
      const count = (isNamespaceFull ? before.inNamespace : before.inAll) + 1;
      const full = isNamespaceFull
        ? `namespace ${claim.namespace} has ${maxPerNamespace} of ${maxPerNamespace} environments of class ${name}`
        : `there are ${maxTotal} of ${maxTotal} environments of class ${name}`;
      const place = Math.min(count, longestShown + 1);
      const shown = place > longestShown ? `behind more than ${longestShown} others` : `place ${place} in the queue`;
      return { isTurn, place, message: `${shown}: ${full}` };
    }
    if (isTurn) {
      take(claim.namespace);
      total += 1;
    } else {
      before.inAll += isNamespaceFull ? 0 : 1;
      before.inNamespace += claim.namespace === own ? 1 : 0;
    }
  }
  return { isTurn: true };
}

function olderFirst(one: QueuedClaim, other: QueuedClaim): number {
  return compareText(one.createdAt, other.createdAt) || compareText(one.key, other.key);
}
