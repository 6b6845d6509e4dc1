import { keyOf } from "#kube";
import { byUid } from "./lifecycle/coupling-deps.ts";
import { claimOf } from "./lifecycle/unparsed-objects.ts";
import { Claims } from "./resources/inventory-entries.ts";
import type { CouplingWakeups } from "./wake-coupling.ts";
import type { CouplingWatch } from "./watch-coupling.ts";

/** Which plug claims which object, as the status of all plugs and sockets says. */
export function recallClaims(
  { plugs, freshPlugs, freshSockets }: CouplingWatch,
  { wakePlug }: CouplingWakeups,
): Claims {
  return new Claims(
    () => [...freshPlugs.list(), ...freshSockets.list()].map(claimOf),
    (uid) => plugs.store.byIndex(byUid, uid).forEach((plug) => wakePlug.wake(keyOf(plug))),
  );
}
