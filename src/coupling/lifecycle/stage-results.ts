import { describeRef } from "#kube";
import { isSameResult, type StageResult } from "../apparatus/apparatus-answers.ts";
import type { Side } from "../kinds/names.ts";
import { describeObject, namespaceOf, type Pair } from "../kinds/pair.ts";
import type { AnsweredResults, ResolvedMap } from "../sources/resolved.ts";
import type { CouplingAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { saveState, recallState, stateRef } from "./state-secrets.ts";

const none: StageResult = new Map();

/** What the apparatus of a side answered last, which it may say again; empty if it has none, or has answered nothing. */
export async function lastResult(
  pair: Pair,
  side: Side,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<StageResult> {
  const known = knownOf(pair, deps);
  if (pair[side].spec.apparatus === undefined) {
    known.delete(side); // nor does one that it gets later know of it
    return none;
  }
  const held = deps.secrets.of(pair.plug.metadata.uid ?? "");
  const last = known.get(side);
  if (last) {
    held.hold(last.values());
    return last;
  }
  const state = pair.plug.status?.pairing?.hasState ? await recallState(pair, side, deps, signal) : undefined;
  const result = state?.result ?? none;
  known.set(side, result);
  held.hold(result.values());
  return result;
}

/**
 * Keeps what the apparatus of a side answered to its half, before anything else of it can fail: it may not be able to say it
 * again. An answer without a result leaves the one before; an empty result takes its place.
 */
export async function saveAnswer(
  { pair, memory, held }: Pick<CouplingAttempt, "pair" | "memory" | "held">,
  side: Side,
  { config, result: answered }: { readonly config: ResolvedMap; readonly result: StageResult | undefined },
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const before = await lastResult(pair, side, deps, signal);
  const result = answered ?? before;
  held.hold(result.values());
  if (!isSameResult(result, before)) {
    // First here: should the write fail, the next try writes it with the config.
    knownOf(pair, deps).set(side, result);
    await saveState(pair, side, { config, result }, { isKnown: true }, deps, signal);
  }
  memory.noteAnswered(side, result.size > 0);
}

/**
 * All that apparatuses answered to the stage, which is held as secret. It is waited for if its Secret is gone or was changed:
 * to go on without it would take it from whoever uses the results.
 */
export async function recallAnswered(
  { pair, memory, held }: Pick<CouplingAttempt, "pair" | "memory" | "held">,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<AnsweredResults | { readonly waiting: string }> {
  const found: Partial<Record<Side, StageResult>> = {};
  for (const side of memory.pairing?.answered ?? []) {
    const result = await lastResult(pair, side, deps, signal);
    if (result.size === 0) {
      knownOf(pair, deps).delete(side); // it may come back
      const { namespace, name } = { ...pair.socket.metadata, namespace: namespaceOf(pair.socket) };
      const ref = describeRef(stateRef(pair.plug, { namespace, name }, side));
      const whose = `the answer of the apparatus of ${describeObject(pair[side])}`;
      return { waiting: `${whose} is no longer in ${ref}; change spec.epoch of the plug to call it again` };
    }
    held.hold(result.values());
    found[side] = result;
  }
  return found;
}

function knownOf({ plug }: Pair, { stageResults }: CouplingDeps): Map<Side, StageResult> {
  const { uid = "" } = plug.metadata;
  const known = stageResults.get(uid) ?? new Map<Side, StageResult>();
  stageResults.set(uid, known);
  return known;
}
