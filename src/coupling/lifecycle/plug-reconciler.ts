import type { KubeObject } from "#kube";
import { addFinalizer, done, hasFinalizer, type Reconciler, requeueAfter, type Result } from "#runtime";
import { finalizer } from "../kinds/names.ts";
import { deletionPolicyOf, describeObject, identityOf, requestedSocket, type SocketName } from "../kinds/pair.ts";
import { Plug } from "../kinds/plug.ts";
import { parseSocket, type Socket } from "../kinds/socket.ts";
import { isAcknowledged } from "./admit-plug.ts";
import { couplePlug } from "./couple-plug.ts";
import { isCoupled, type PlugAttempt, PlugMemory, saveProgress, statusOf } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { cleanUpAfter, finalizePlug, isGivenUp, releasePlug, socketOfPairing } from "./decouple.ts";
import { failPlug } from "./fail-plug.ts";
import { describeHidden, isHidden } from "./hidden-socket.ts";
import { describeMissingSocket } from "./missing-socket.ts";
import type { PlugSessions } from "./plug-session.ts";
import { reportPlug } from "./report-status.ts";
import { clientOf, performCreated } from "./run-half.ts";
import { pairingOfUpstream } from "./take-over.ts";
import { ownTended, tendingOf, tendObjects } from "./tend-objects.ts";
import { conditionOf, isCoupledTrue, isCreated as hasBeenCreated } from "./unparsed-objects.ts";

/** Couples plugs to their sockets, keeps them up to date, and decouples them. */
export function plugReconciler(deps: CouplingDeps, sessions: PlugSessions): Reconciler {
  return async function reconcilePlug(key, signal) {
    const found = deps.cluster.plugs.get(key);
    const { uid = "" } = found?.metadata ?? {};
    const known = sessions.find(key);
    if (known && known.uid !== uid) await sessions.forget(key, deps);
    if (!found) return done;
    const session = sessions.open(key, uid);
    const isDeleted = found.metadata.deletionTimestamp !== undefined;
    const object = isDeleted ? found : await addFinalizer(found, finalizer, deps.client, signal);
    if (!object || !hasFinalizer(object, finalizer)) {
      await sessions.forget(key, deps); // deleted, or being deleted without our finalizer
      return done;
    }
    if (object !== found) deps.cluster.plugs.note(object);
    const status = statusOf(object, session.redact, deps);
    let attempt: PlugAttempt | undefined;
    let isCreated = hasBeenCreated(object);
    try {
      const plug = Plug.parse(object);
      attempt = { plug, session, memory: new PlugMemory(plug, status, pairingOfUpstream(plug, deps)), status };
      if (isDeleted) {
        await finalizePlug(attempt, deps, signal);
      } else {
        if (!isCreated) await runCreatedStage(attempt, deps, signal);
        isCreated = true;
        const result = await advance(attempt, deps, signal);
        await saveProgress(status, deps.cluster.plugs);
        return result;
      }
    } catch (error) {
      signal.throwIfAborted();
      const isOver = status.isGone || (await isGivenUp(error, { object, session, attempt }, deps, signal));
      const failed = { object, session, status, memory: attempt?.memory, isCreated };
      const again = isOver ? undefined : await failPlug(error, failed, deps);
      if (again && !status.isGone) return again;
      if (attempt && status.isGone) await cleanUpAfter(attempt, deps, signal);
    } finally {
      session.secrets.endAttempt();
    }
    deps.cluster.plugs.release(object, key);
    await sessions.forget(key, deps);
    return done;
  };
}

/** Runs the stage `created` once, before anything else. */
async function runCreatedStage(attempt: PlugAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { plug, session, memory, status } = attempt;
  const note = (inventory: PlugMemory["inventory"]): void => {
    memory.inventory = inventory;
    deps.claims.set(plug.metadata.uid ?? "", inventory);
  };
  const plan = async (inventory: PlugMemory["inventory"]): Promise<void> => {
    note(inventory);
    await saveProgress(status, deps.cluster.plugs);
  };
  note(await performCreated({ object: plug, waiter: session.waiter(plug) }, memory.inventory, plan, deps, signal));
  reportPlug(status, plug, "PlugCreated");
}

/** Leaves the current socket if necessary, and couples to the one that the plug names. */
async function advance(attempt: PlugAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<Result> {
  const { plug, session, memory, status } = attempt;
  const { pairing } = memory;
  const paired = pairing && socketOfPairing(pairing, deps);
  const isExpelled = paired?.metadata.deletionTimestamp !== undefined && policyOf(paired) === "Decouple";
  const wanted = requestedSocket(plug);
  const found = wanted && deps.cluster.sockets.get(`${wanted.namespace}/${wanted.name}`);
  if (pairing && wanted && isHidden(pairing.socket, deps) && isSame(pairing.socket, wanted)) {
    return stayWithHidden(attempt, wanted, deps);
  }
  const suspended = [plug, paired && parseSocket(paired)].find((object) => object?.spec.suspend);
  if (suspended && !isExpelled) return suspend(attempt, suspended, deps);
  if (pairing && (pairing.stage === "decoupled" || isExpelled || found?.metadata.uid !== pairing.socket.uid)) {
    await releasePlug(attempt, deps, signal);
  }
  const socket = found && parseSocket(found);
  if (memory.pairing && socket && !(await isAcknowledged({ plug, socket }, memory.pairing, deps, signal))) {
    await releasePlug(attempt, deps, signal);
  }
  const wait = reasonToWait(attempt, wanted, socket, deps);
  if (!socket || wait) {
    deps.roster.stopWaiting(session.key);
    const follow = (): void => {
      const account = { user: identityOf(plug).user, client: clientOf(plug, deps) };
      deps.inputs.watches.follow(session.key, session.care.followed, () => account);
    };
    const own = await ownTended(plug, deps, signal).catch(failing("repair", "plug"));
    if (own.length === 0) deps.inputs.watches.forget(session.key);
    const { restMs } = await tendObjects(own, tendingOf(attempt), follow, deps, signal);
    reportPlug(status, plug, ...(wait ?? ["SocketNotCreated" as const]));
    return restMs === undefined ? done : requeueAfter(restMs);
  }
  if (socket.spec.suspend && !memory.pairing) return suspend(attempt, socket, deps);
  return await couplePlug({ ...attempt, pair: { plug, socket } }, deps, signal);
}

function reasonToWait(
  { plug, memory }: PlugAttempt,
  wanted: SocketName | undefined,
  socket: Socket | undefined,
  deps: CouplingDeps,
): readonly ["SocketNotCreated" | "SocketDeleting" | "SocketNotWatched", ...string[]] | undefined {
  if (!wanted) return ["SocketNotCreated", "no socket is set; set spec.socket.name"];
  if (isHidden(wanted, deps)) return ["SocketNotWatched", describeHidden(wanted)];
  if (!socket) return ["SocketNotCreated", describeMissingSocket(plug, wanted, deps)];
  const isLeaving = socket.metadata.deletionTimestamp !== undefined;
  if (isLeaving && (!memory.pairing || deletionPolicyOf(socket) !== "Block")) {
    return ["SocketDeleting", `${describeObject(socket)} is being deleted`];
  }
  if (hasBeenCreated(socket)) return undefined;
  const waiting = conditionOf(socket, "Coupled")?.["message"];
  return ["SocketNotCreated", ...(typeof waiting === "string" ? [`${describeObject(socket)}: ${waiting}`] : [])];
}

function suspend(attempt: PlugAttempt, suspended: Plug | Socket, deps: CouplingDeps): Result {
  const { suspendReason } = suspended.spec;
  const message = `${describeObject(suspended)} is suspended${suspendReason === undefined ? "" : `: ${suspendReason}`}`;
  return pause(attempt, "Suspended", message, deps);
}

/** The operator has stopped working in the namespace of the socket: that the socket is not seen says nothing about it. */
function stayWithHidden(attempt: PlugAttempt, socket: SocketName, deps: CouplingDeps): Result {
  return pause(attempt, "SocketNotWatched", describeHidden(socket), deps);
}

/** Does nothing for now. A coupled plug stays coupled, and its message says why nothing happens. */
function pause(
  { plug, session, memory, status }: PlugAttempt,
  reason: "Suspended" | "SocketNotWatched",
  message: string,
  deps: CouplingDeps,
): Result {
  deps.roster.stopWaiting(session.key);
  if (isCoupled(memory.pairing) && isCoupledTrue(plug)) {
    reportPlug(status, plug, "CouplingSucceeded", `coupling succeeded; ${message}`);
  } else {
    reportPlug(status, plug, reason, message);
  }
  return done;
}

function isSame(one: SocketName, other: SocketName): boolean {
  return one.namespace === other.namespace && one.name === other.name;
}

function policyOf(socket: KubeObject): ReturnType<typeof deletionPolicyOf> {
  return deletionPolicyOf(parseSocket(socket));
}
