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
import { finalizer, warnings } from "../kinds/names.ts";
import { deletionPolicyOf } from "../kinds/pair.ts";
import type { CouplingEntry } from "../kinds/shared-status.ts";
import { parseSocket, type Socket } from "../kinds/socket.ts";
import { saveProgress, statusOf, writeStatus } from "./coupling-attempt.ts";
import { byPairing, bySocket, type CouplingDeps } from "./coupling-deps.ts";
import { failureOf, giveUpAt, isForced, lastErrorAfter, waitMs, waitOf } from "./coupling-failure.ts";
import { reportSocketFailure, reportSocketWait } from "./report-status.ts";
import { performCreated, performDeleted } from "./run-half.ts";
import { isCreated } from "./unparsed-objects.ts";

/** Runs the stages of sockets, reports their plugs, and removes their finalizer when the plugs have left. */
export function socketReconciler(deps: CouplingDeps): Reconciler {
  const uids = new Map<string, string>();

  function forget(key: string): void {
    const uid = uids.get(key);
    if (uid !== undefined) {
      deps.roster.forget(uid);
      deps.claims.release(uid);
      deps.apparatus.forget(uid);
    }
    uids.delete(key);
  }

  return async function reconcileSocket(key, signal) {
    const found = deps.sockets.get(key);
    const { uid = "" } = found?.metadata ?? {};
    if (uids.has(key) && uids.get(key) !== uid) forget(key);
    if (!found) return done;
    uids.set(key, uid);
    const isDeleted = found.metadata.deletionTimestamp !== undefined;
    const object = isDeleted ? found : await addFinalizer(found, finalizer, deps.client, signal);
    if (!object || !hasFinalizer(object, finalizer)) return done; // deleted, or being deleted without our finalizer
    if (object !== found) deps.sockets.note(object);
    const status = statusOf(object, deps);
    try {
      if (isForced(object)) {
        await removeFinalizer(object, finalizer, deps.client, signal);
      } else {
        const socket = parseSocket(object);
        if (isDeleted && !(await isReleased(socket, deps, signal))) return done;
        if (!isDeleted) {
          if (!isCreated(socket)) await runCreatedStage(socket, status, deps, signal);
          await deps.roster.write(uid);
          return done;
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      const isGivenUp = status.isGone || (await isReleasedAnyway(error, object, deps, signal));
      if (!isGivenUp) return await failSocket(error, object, status, deps);
    }
    deps.sockets.release(object, key);
    forget(key);
    return done;
  };
}

/** The plugs that hold a place on a socket. */
export function holdersOf(socket: KubeObject, { plugs, roster }: Pick<CouplingDeps, "plugs" | "roster">): KubeObject[] {
  const { uid = "" } = socket.metadata;
  const held = roster.held(uid);
  const near = [...plugs.byIndex(bySocket, keyOf(socket)), ...plugs.byIndex(byPairing, uid)];
  return [...new Set(near)].filter((plug) => held.has(plug.metadata.uid ?? ""));
}

/** Runs the stage `created` once; plugs wait for it. */
async function runCreatedStage(
  socket: Socket,
  status: TrackedStatus,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const plan = async (inventory: readonly CouplingEntry[]): Promise<void> => {
    status.set({ inventory });
    deps.claims.set(socket.metadata.uid ?? "", inventory);
    await saveProgress(status, deps.sockets);
  };
  const made = await performCreated(socket, socket.status?.inventory ?? [], plan, deps, signal);
  if (made.length > 0) await plan(made);
}

/** False while a plug holds a place. The stage `deleted` runs when all have left. */
async function isReleased(socket: Socket, deps: CouplingDeps, signal: AbortSignal): Promise<boolean> {
  const { uid = "" } = socket.metadata;
  if (!deps.roster.close(uid)) {
    if (deletionPolicyOf(socket) === "DeletePlugs") await deleteHolders(socket, deps, signal);
    await deps.roster.write(uid);
    return false;
  }
  await performDeleted(socket, socket.status?.inventory ?? [], undefined, deps, signal);
  await removeFinalizer(deps.sockets.get(keyOf(socket)) ?? socket, finalizer, deps.client, signal);
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
  const message = `given up: ${failureOf(error, deps.secrets.redactFor(object.metadata.uid ?? "")).message}`;
  deps.metrics.abandoned();
  deps.log.warn("deletion of a socket given up", { socket: keyOf(object), error: message });
  deps.events.Socket.record(object, { type: "Warning", reason: warnings.abandoned, message });
  await removeFinalizer(deps.sockets.get(keyOf(object)) ?? object, finalizer, deps.client, signal);
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
    await writeStatus(status, deps.sockets);
    return requeueAfter(leftMs > 0 ? Math.min(waitMs, leftMs) : waitMs);
  }
  const failure = failureOf(error, deps.secrets.redactFor(object.metadata.uid ?? ""));
  const { message, isForUser } = failure;
  const { lastError, restMs } = lastErrorAfter(failure, lastErrorOf(object), deps);
  const { attempts } = lastError;
  deps.metrics.failed("Socket");
  deps.log.warn("socket failed", { socket: keyOf(object), attempts, restMs: Math.round(restMs), error: message });
  deps.events.Socket.record(object, { type: "Warning", reason: warnings.failed, message });
  if (!isCreated(object)) status.removeCondition("Coupled");
  reportSocketFailure(status, message, lastError, isForUser);
  await writeStatus(status, deps.sockets);
  return requeueAfter(leftMs > 0 ? Math.min(restMs, leftMs) : restMs);
}

function lastErrorOf(object: KubeObject) {
  try {
    return parseSocket(object).status?.lastError;
  } catch {
    return undefined; // the object itself is not valid
  }
}
