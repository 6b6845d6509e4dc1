import { describeError, InputError } from "#base";
import { keyOf } from "#kube";
import { findOpenSecrets } from "./admission/find-open-secrets.ts";
import type { CouplingPlan, PlanDeps } from "./coupling-plan.ts";
import { describeObject, type Plug, type Socket } from "./kinds/index.ts";
import { isCoupled } from "./lifecycle/coupling-attempt.ts";
import { plannedPairingOfUpstream } from "./lifecycle/take-over.ts";
import { planStage } from "./plan-stage.ts";
import { plannedRemoval } from "./planned-actions.ts";
import { plannedRefusal } from "./planned-refusal.ts";
import { isOfPairing } from "./resources/inventory-entries.ts";

/** Plans a coupling: reads, resolves and renders everything as an attempt does, and writes nothing. */
export async function planCoupling(
  plug: Plug,
  socket: Socket,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<CouplingPlan> {
  const pair = { plug, socket };
  const upstream = plannedPairingOfUpstream(plug, socket);
  const pairing = plug.status?.pairing ?? upstream;
  const isMove = pairing !== undefined && pairing.socket.uid !== socket.metadata.uid;
  const stage = isMove || !isCoupled(pairing) ? "coupled" : "updated";
  const open = findOpenSecrets(socket);
  const exposed = open === undefined ? [] : [`${describeObject(socket)}: ${open}`];
  const names = {
    plug: keyOf(plug),
    socket: keyOf(socket),
    ...(upstream ? { takesOver: true } : {}),
    ...(isMove ? { leaves: `${pairing.socket.namespace}/${pairing.socket.name}` } : {}),
  };
  const warned = exposed.length === 0 ? {} : { warnings: exposed };
  const inventory = plug.status?.inventory ?? [];
  const left = isMove ? inventory.filter(isOfPairing).flatMap((entry) => plannedRemoval(entry, "decoupled")) : [];
  const refusal = plannedRefusal(pair, pairing !== undefined && !isMove, deps);
  if (refusal) return { ...names, ...warned, refusal, problems: [], maps: [], actions: left };
  try {
    const isAnswered = !isMove && pairing?.answered !== undefined;
    const planned = await planStage(pair, { stage, before: isMove ? [] : inventory, isAnswered }, deps, signal);
    const warnings = [...exposed, ...(planned.warnings ?? [])];
    return {
      ...names,
      ...planned,
      ...(warnings.length === 0 ? {} : { warnings }),
      actions: [...left, ...planned.actions],
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof InputError)) throw error;
    return { ...names, ...warned, problems: [describeError(error)], maps: [], actions: left };
  }
}
