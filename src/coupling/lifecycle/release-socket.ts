import { ApiError, keyOf, type KubeObject, refOf } from "#kube";
import { removeFinalizer } from "#runtime";
import type { Waiter } from "../apparatus/calls/apparatus-client.ts";
import { deletionPolicyOf, finalizer, type Socket, warnings } from "../kinds/index.ts";
import { byPairing, bySocket, type CouplingDeps } from "./coupling-deps.ts";
import { failureOf, giveUpAt } from "./coupling-failure.ts";
import { performDeleted } from "./own-stages.ts";
import { unchanged } from "./plug-session.ts";

/** The plugs that hold a place on a socket. */
export function holdersOf(
  socket: KubeObject,
  { cluster: { plugs }, roster }: Pick<CouplingDeps, "cluster" | "roster">,
): KubeObject[] {
  const { uid = "" } = socket.metadata;
  const held = roster.held(uid);
  const near = [...plugs.byIndex(bySocket, keyOf(socket)), ...plugs.byIndex(byPairing, uid)];
  return [...new Set(near)].filter((plug) => held.has(plug.metadata.uid ?? ""));
}

/** False while a plug holds a place. The stage `deleted` runs when all have left. */
export async function isReleased(
  socket: Socket,
  waiter: Waiter,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { uid = "" } = socket.metadata;
  if (!deps.roster.close(uid)) {
    if (deletionPolicyOf(socket) === "DeletePlugs") await deleteHolders(socket, deps, signal);
    await deps.roster.write(uid);
    return false;
  }
  await performDeleted({ object: socket, waiter }, socket.status?.inventory ?? [], undefined, deps, signal);
  await removeFinalizer(deps.cluster.sockets.get(keyOf(socket)) ?? socket, finalizer, deps.client, signal);
  return true;
}

/** As integration-operator does. */
async function deleteHolders(socket: Socket, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  for (const plug of holdersOf(socket, deps)) {
    if (plug.metadata.deletionTimestamp !== undefined) continue;
    await deps.client.delete(refOf(plug), { uid: plug.metadata.uid }, signal).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.isConflict)) throw error; // another plug of that name
    });
  }
}

/** Removes the finalizer of a deleted socket that has failed for too long; false while it may be retried. */
export async function isReleasedAnyway(
  error: unknown,
  object: KubeObject,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const end = giveUpAt(object, undefined, undefined, deps);
  if (end === undefined || deps.clock.now() < end) return false;
  const message = `given up: ${failureOf(error, unchanged).message}`;
  deps.report.metrics.abandoned();
  deps.report.log.warn("deletion of a socket given up", { socket: keyOf(object), error: message });
  deps.report.events.Socket.record(object, { type: "Warning", reason: warnings.abandoned, message });
  await removeFinalizer(deps.cluster.sockets.get(keyOf(object)) ?? object, finalizer, deps.client, signal);
  return true;
}
