import { InputError } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { removeFinalizer } from "#runtime";
import { finalizer, warnings } from "../kinds/names.ts";
import { describeObject } from "../kinds/pair.ts";
import { parseSocket } from "../kinds/parse-socket.ts";
import { isAcknowledged } from "./admit-plug.ts";
import type { CouplingDeps, Farewell } from "./coupling-deps.ts";
import { abandonPairing, decouple, socketOfPairing } from "./decouple.ts";
import { failureOf } from "./failure.ts";
import { runDeleted } from "./own-stages.ts";
import { giveUpAt, isForced } from "./patience.ts";
import type { PlugLook } from "./plug-look.ts";
import { holdValues } from "./source-readers.ts";

/** Leaves the socket that the plug is on; after failing for too long, without undoing what is left. */
export async function letGo(look: PlugLook, deps: CouplingDeps, signal: AbortSignal): Promise<Farewell | undefined> {
  const { plug, memory } = look;
  const { pairing } = memory;
  if (!pairing) return undefined;
  if (isForced(plug)) {
    await abandonPairing(look, pairing, deps, signal);
    return undefined;
  }
  try {
    const found = socketOfPairing(pairing, deps);
    const socket = found && parseSocket(found);
    const isKnown = !socket || (await isAcknowledged({ plug, socket }, pairing, deps, signal));
    if (isKnown) return await decouple(look, pairing, deps, signal);
    tellAbandoned(
      plug,
      new InputError(`${describeObject(socket)} does not list the plug, and would not take it`),
      deps,
    );
  } catch (error) {
    signal.throwIfAborted();
    const { lastError } = plug.status ?? {};
    const since = lastError?.stage === "decoupled" ? lastError.since : undefined;
    const end = giveUpAt(plug, socketOfPairing(pairing, deps), since, deps);
    if (end === undefined || deps.clock.now() < end) throw error;
    tellAbandoned(plug, error, deps);
  }
  await abandonPairing(look, pairing, deps, signal);
  return undefined;
}

/** The end of a plug: `decoupled`, `deleted`, and then it may go. */
export async function releasePlug(look: PlugLook, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { plug, memory, status } = look;
  const { uid = "" } = plug.metadata;
  if (memory.pairing) deps.roster.vacate(memory.pairing.socket.uid, uid);
  const left = await letGo(look, deps, signal);
  if (left) deps.farewells.set(uid, left);
  const farewell = deps.farewells.get(uid);
  for (const config of farewell ? [farewell.plugConfig, farewell.socketConfig] : []) holdValues(config, look.held);
  if (!isForced(plug)) await runDeleted(plug, memory.inventory, farewell, deps, signal);
  await removeFinalizer(status.object, finalizer, deps.client, signal);
}

/** Whether a plug that is being deleted has failed for long enough to be let go all the same. */
export async function isReleasedAnyway(
  error: unknown,
  object: KubeObject,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<boolean> {
  if (object.metadata.deletionTimestamp === undefined) return false;
  const end = giveUpAt(object, undefined, undefined, deps);
  if (end === undefined || deps.clock.now() < end) return false;
  tellAbandoned(object, error, deps);
  await removeFinalizer(deps.plugs.get(keyOf(object)) ?? object, finalizer, deps.client, signal);
  return true;
}

function tellAbandoned(plug: KubeObject, error: unknown, deps: CouplingDeps): void {
  const { message } = failureOf(error, deps.secrets.redactFor(plug.metadata.uid ?? ""));
  deps.log.warn("decoupling given up", { plug: keyOf(plug), error: message });
  deps.events.Plug.record(plug, { type: "Warning", reason: warnings.abandoned, message: `given up: ${message}` });
}
