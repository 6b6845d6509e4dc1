import { addFinalizer, done, hasFinalizer, type Reconciler, removeFinalizer, requeueAfter } from "#runtime";
import { finalizer, parseSocket } from "../kinds/index.ts";
import { statusOf } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { isForced } from "./coupling-failure.ts";
import { createSocket, waiterOf } from "./create-socket.ts";
import { failSocket } from "./fail-socket.ts";
import { unchanged } from "./plug-session.ts";
import { isReleased, isReleasedAnyway } from "./release-socket.ts";
import type { SocketSessions } from "./socket-session.ts";
import { tendSocket } from "./tend-socket.ts";

/** Runs the stages of sockets, reports their plugs, and removes their finalizer when the plugs have left. */
export function socketReconciler(
  deps: CouplingDeps,
  sessions: SocketSessions,
  wake: (key: string) => void,
): Reconciler {
  return async function reconcileSocket(key, signal) {
    const found = deps.cluster.sockets.get(key);
    const { uid = "" } = found?.metadata ?? {};
    const known = sessions.find(key);
    if (known && known.uid !== uid) sessions.forget(key, deps);
    if (!found) return done;
    const session = sessions.open(key, uid);
    const isDeleted = found.metadata.deletionTimestamp !== undefined;
    const object = isDeleted ? found : await addFinalizer(found, finalizer, deps.client, signal);
    if (!object || !hasFinalizer(object, finalizer)) return done; // deleted, or being deleted without our finalizer
    if (object !== found) deps.cluster.sockets.note(object);
    const status = statusOf(object, unchanged, deps);
    try {
      if (isForced(object)) {
        await removeFinalizer(object, finalizer, deps.client, signal);
      } else {
        const socket = parseSocket(object);
        const waiter = waiterOf(socket, wake);
        if (isDeleted && !(await isReleased(socket, waiter, deps, signal))) return done;
        if (!isDeleted) {
          await createSocket({ object: socket, waiter }, status, deps, signal);
          const { restMs, unready } = await tendSocket(socket, status, session, deps, signal);
          session.unready = unready;
          await deps.roster.write(uid);
          return restMs === undefined ? done : requeueAfter(restMs);
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      const isGivenUp = status.isGone || (await isReleasedAnyway(error, object, deps, signal));
      if (!isGivenUp) return await failSocket(error, object, status, deps);
    }
    deps.cluster.sockets.release(object, key);
    sessions.forget(key, deps);
    return done;
  };
}
