import { warnings } from "../kinds/index.ts";
import { entryKey } from "../resources/inventory-entries.ts";
import { listResultSources, listSources } from "../sources/read-sources.ts";
import type { ResolvedInputs, ResolvedMap, ResolvedResults } from "../sources/resolved.ts";
import { type CouplingAttempt, isCoupled, isFinished } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { findOwnInputs, apiGroupOf, type OwnInput, valuesOf } from "./own-inputs.ts";

/**
 * How long to wait before an update whose inputs the last one may have changed itself: such updates would follow each other for
 * ever. The plug stays coupled meanwhile, and a condition and an Event name the input.
 */
export function delayOwnUpdate(attempt: CouplingAttempt, inputs: ResolvedInputs, deps: CouplingDeps): number {
  const { pair, session, memory } = attempt;
  const { pairing } = memory;
  if (!pairing || !isCoupled(pairing) || !isFinished(pairing)) return 0;
  const { plug, socket } = pair;
  const isOfUser =
    pairing.generation !== plug.metadata.generation || pairing.socketGeneration !== socket.metadata.generation;
  if (isOfUser) session.loop.end();
  const maps = {
    plug: [inputs.plugVars, inputs.plugData, inputs.plugConfig],
    socket: [inputs.socketVars, inputs.socketData, inputs.socketConfig],
  };
  const own = findOwnInputs(listSources(pair), attempt, deps);
  const isDue = (): boolean => !isOfUser && pairing.inputsHash !== deps.fingerprint.ofInputs(pair, inputs);
  return delayIfOwn(attempt, "inputs", own, maps, isDue, deps);
}

/** The same for results that the last delivery of results may have changed. */
export function delayOwnResults(attempt: CouplingAttempt, results: ResolvedResults, deps: CouplingDeps): number {
  const { pair, memory } = attempt;
  const { plugResult, socketResult } = results;
  // After a stage, the results are delivered in any case.
  if (memory.resultHash === undefined || memory.inputsHash !== memory.pairing?.inputsHash) return 0;
  const ofStages = new Set(memory.inventory.filter(({ stage }) => stage !== "result").map(entryKey));
  const refs = listResultSources(pair).filter((ref) => !ofStages.has(entryKey({ ...ref, group: apiGroupOf(ref) })));
  const own = findOwnInputs(refs, attempt, deps);
  const isDue = (): boolean => memory.resultHash !== deps.fingerprint.ofResults(pair, results);
  return delayIfOwn(attempt, "results", own, { plug: [plugResult], socket: [socketResult] }, isDue, deps);
}

function delayIfOwn(
  { pair, session, status }: CouplingAttempt,
  phase: "inputs" | "results",
  own: readonly OwnInput[],
  maps: Readonly<Record<"plug" | "socket", readonly ResolvedMap[]>>,
  isDue: () => boolean,
  deps: CouplingDeps,
): number {
  if (own.length === 0) return 0;
  const { loop, ownValues } = session;
  const now = own.map((each) => deps.fingerprint.ofParts([each.ref.field, valuesOf(each, maps)]));
  const before = ownValues[phase];
  const changed = own.find((_, index) => now[index] !== before?.[index]);
  const { restMs } = loop;
  const isCaused = changed !== undefined && isDue();
  if (!isCaused || restMs === 0) {
    if (isCaused) loop.note();
    session.ownValues = { ...ownValues, [phase]: now };
    return 0;
  }
  const message = `${changed.message}, so that each update causes the next one; updates wait longer and longer, up to 5 minutes`;
  status.setCondition({ type: "UpdateLoop", status: "True", reason: "OwnOutputIsInput", message });
  deps.report.events.Plug.record(pair.plug, { type: "Warning", reason: warnings.updateLoop, message });
  return restMs;
}
