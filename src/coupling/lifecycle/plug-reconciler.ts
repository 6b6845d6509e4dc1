import { addFinalizer, done, hasFinalizer, type Reconciler } from "#runtime";
import { finalizer, Plug } from "../kinds/index.ts";
import { advancePlug } from "./advance-plug.ts";
import { type PlugAttempt, PlugMemory, saveProgress, statusOf } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failPlug } from "./fail-plug.ts";
import { performCreated } from "./own-stages.ts";
import type { PlugSessions } from "./plug-session.ts";
import { cleanUpAfter, finalizePlug, isGivenUp } from "./release-plug.ts";
import { reportPlug } from "./report-status.ts";
import { pairingOfUpstream } from "./take-over.ts";
import { isCreated as hasBeenCreated } from "./unparsed-objects.ts";

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
        const result = await advancePlug(attempt, deps, signal);
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
