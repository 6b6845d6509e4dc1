import type { InventoryEntry, InventoryError } from "../resource-inventory.ts";
import type { Place } from "./plan-options.ts";

/** What errors keep a plan from doing. They reach as far as they say, and no farther. */
export interface Trouble {
  /** What is there is not known: nothing is done. */
  isUnread(entry: Pick<InventoryEntry, "cluster" | "namespace">): boolean;
  /** What is wanted is not known: nothing of it is changed. */
  isUnmade(place: Place): boolean;
  /** Why an object that seems to be unwanted stays. */
  keepsFromDeleting(place: Place): string | undefined;
}

export function findTrouble(errors: readonly InventoryError[]): Trouble {
  const unread = errors.filter(({ stage }) => stage !== "desired");
  const unmade = errors.filter(({ stage }) => stage === "desired");
  return {
    isUnread: ({ cluster, namespace }) =>
      unread.some((error) => error.cluster === cluster && (error.namespace ?? namespace) === namespace),
    isUnmade: (place) => unmade.some((error) => error.attribution !== undefined && concerns(error, place)),
    keepsFromDeleting(place) {
      const made = unmade.find((error) => concerns(error, place));
      if (made) return `an error hides whether it is still desired: ${made.what}`;
      const read = unread.find((error) => error.cluster === place.cluster || error.cluster === undefined);
      return read && `something on this cluster could not be read: ${read.what}`;
    },
  };
}

/** Of an object that does not say what it belongs to, every error of its namespace could be meant. */
function concerns(error: InventoryError, { cluster, namespace, attribution }: Place): boolean {
  if (error.cluster !== undefined && error.cluster !== cluster) return false;
  if (error.namespace !== undefined && error.namespace !== namespace) return false;
  return error.attribution === undefined || attribution === undefined || error.attribution === attribution;
}
