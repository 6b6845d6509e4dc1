import { keyOf } from "#kube";
import type { TrackedStatus } from "#runtime";
import { type CouplingEntry, identityOf, parseSocket, type Socket } from "../kinds/index.ts";
import { mergeEntries } from "../resources/inventory-entries.ts";
import { writeStatus } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { clientOf } from "./side-actions.ts";
import type { SocketSession } from "./socket-session.ts";
import { tendObjects } from "./tend-objects.ts";
import { ownTended } from "./tended-objects.ts";

/** Looks after the objects of `created`. */
export async function tendSocket(
  socket: Socket,
  status: TrackedStatus,
  { care, watches }: Pick<SocketSession, "care" | "watches">,
  deps: CouplingDeps,
  signal: AbortSignal,
): ReturnType<typeof tendObjects> {
  if (socket.spec.suspend) return { restMs: undefined, unready: [] };
  const latest = deps.cluster.sockets.get(keyOf(socket)) ?? socket;
  const inventory = parseSocket(latest).status?.inventory ?? [];
  const onMade = (made: readonly CouplingEntry[]): void => {
    status.set({ inventory: mergeEntries(inventory, made) });
  };
  const account = { user: identityOf(socket).user, client: clientOf(socket, deps) };
  const follow = (): void => watches.follow(keyOf(socket), care.followed, () => account);
  const own = await ownTended(socket, deps, signal).catch(failing("repair", "socket"));
  const tended = await tendObjects(own, { care, status, inventory, onMade }, follow, deps, signal);
  await writeStatus(status, deps.cluster.sockets);
  return tended;
}
