import { ApiError, keyOf, type KubeObject, refOf } from "#kube";
import {
  addFinalizer,
  done,
  hasFinalizer,
  type Reconciler,
  removeFinalizer,
  requeueAfter,
  type Result,
  type TrackedStatus,
} from "#runtime";
import type { Waiter } from "../apparatus/calls/apparatus-client.ts";
import { annotations, finalizer, warnings } from "../kinds/names.ts";
import { deletionPolicyOf, identityOf } from "../kinds/pair.ts";
import type { CouplingEntry } from "../kinds/shared-status.ts";
import { parseSocket, type Socket } from "../kinds/socket.ts";
import { mergeEntries } from "../resources/inventory-entries.ts";
import { saveProgress, statusOf, writeStatus } from "./coupling-attempt.ts";
import { byPairing, bySocket, type CouplingDeps } from "./coupling-deps.ts";
import { failing, failureOf, giveUpAt, isForced, lastErrorAfter, waitMs, waitOf } from "./coupling-failure.ts";
import type { InputWatches } from "./input-watches.ts";
import { ObjectCare } from "./object-care.ts";
import { describeMissingAccount } from "./missing-account.ts";
import { unchanged } from "./plug-session.ts";
import { failedAt, reportSocketFailure, reportSocketWait, type UnreadyObject } from "./report-status.ts";
import { clientOf, performCreated, performDeleted } from "./run-half.ts";
import { ownTended, tendObjects } from "./tend-objects.ts";
import { isCreated } from "./unparsed-objects.ts";

/** How a socket is woken: at once, or when one of these objects changes. */
interface SocketWaking {
  readonly wake: (key: string) => void;
  readonly watches: InputWatches;
  /** By uid: for the status of the socket, which the roster writes. */
  readonly unready: Map<string, readonly UnreadyObject[]>;
}

/** Runs the stages of sockets, reports their plugs, and removes their finalizer when the plugs have left. */
export function socketReconciler(deps: CouplingDeps, { wake, watches, unready }: SocketWaking): Reconciler {
  const uids = new Map<string, string>();
  const cares = new Map<string, ObjectCare>();

  function forget(key: string): void {
    const uid = uids.get(key);
    watches.forget(key);
    cares.delete(key);
    if (uid !== undefined) {
      unready.delete(uid);
      deps.roster.forget(uid);
      deps.claims.release(uid);
      deps.apparatus.forget(uid);
    }
    uids.delete(key);
  }

  return async function reconcileSocket(key, signal) {
    const found = deps.cluster.sockets.get(key);
    const { uid = "" } = found?.metadata ?? {};
    if (uids.has(key) && uids.get(key) !== uid) forget(key);
    if (!found) return done;
    uids.set(key, uid);
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
          if (!isCreated(socket)) await runCreatedStage({ object: socket, waiter }, status, deps, signal);
          const care = cares.get(key) ?? new ObjectCare(deps.clock);
          cares.set(key, care);
          const tended = await tendSocket(socket, status, { care, watches }, deps, signal);
          if (tended.unready.length > 0) unready.set(uid, tended.unready);
          else unready.delete(uid);
          const { restMs } = tended;
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
    forget(key);
    return done;
  };
}

/** Looks after the objects of `created`. */
async function tendSocket(
  socket: Socket,
  status: TrackedStatus,
  { care, watches }: { readonly care: ObjectCare; readonly watches: InputWatches },
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

/** The socket, as it waits for its own apparatus. */
function waiterOf(socket: Socket, wake: (key: string) => void): Waiter {
  const { uid = "", annotations: given = {} } = socket.metadata;
  return { uid, retry: given[annotations.retry], redact: unchanged, wake: () => wake(keyOf(socket)) };
}

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

/** Runs the stage `created` once; plugs wait for it. */
async function runCreatedStage(
  own: { readonly object: Socket; readonly waiter: Waiter },
  status: TrackedStatus,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { object: socket } = own;
  const plan = async (inventory: readonly CouplingEntry[]): Promise<void> => {
    status.set({ inventory });
    deps.claims.set(socket.metadata.uid ?? "", inventory);
    await saveProgress(status, deps.cluster.sockets);
  };
  const made = await performCreated(own, socket.status?.inventory ?? [], plan, deps, signal);
  if (made.length > 0) await plan(made);
}

/** False while a plug holds a place. The stage `deleted` runs when all have left. */
async function isReleased(socket: Socket, waiter: Waiter, deps: CouplingDeps, signal: AbortSignal): Promise<boolean> {
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
async function isReleasedAnyway(
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

async function failSocket(
  error: unknown,
  object: KubeObject,
  status: TrackedStatus,
  deps: CouplingDeps,
): Promise<Result> {
  const leftMs = (giveUpAt(object, undefined, undefined, deps) ?? Infinity) - deps.clock.now();
  const wait = waitOf(error);
  if (wait) {
    if (wait.reason !== undefined) reportSocketWait(status, wait.reason, isCreated(object));
    await writeStatus(status, deps.cluster.sockets);
    return requeueAfter(leftMs > 0 ? Math.min(waitMs, leftMs) : waitMs);
  }
  const failure = failureOf(error, unchanged);
  const { isForUser } = failure;
  const account = await describeMissingAccount(error, deps);
  const message = account === undefined ? failure.message : `${failure.message}; ${account}`;
  const { lastError, restMs } = lastErrorAfter(failure, lastErrorOf(object), deps);
  const { attempts } = lastError;
  deps.report.metrics.failed("Socket");
  deps.report.log.warn("socket failed", {
    socket: keyOf(object),
    attempts,
    restMs: Math.round(restMs),
    error: message,
  });
  deps.report.events.Socket.record(object, { type: "Warning", reason: warnings.failed, message });
  reportSocketFailure(status, message, lastError, { isForUser, at: failedAt(failure.stage, isCreated(object)) });
  await writeStatus(status, deps.cluster.sockets);
  return requeueAfter(leftMs > 0 ? Math.min(restMs, leftMs) : restMs);
}

function lastErrorOf(object: KubeObject) {
  try {
    return parseSocket(object).status?.lastError;
  } catch {
    return undefined; // the object itself is not valid
  }
}
