import type { StageResult } from "../apparatus/calls/apparatus-answers.ts";
import { type CouplingEntry, sideOf } from "../kinds/index.ts";
import { mergeEntries } from "../resources/inventory-entries.ts";
import type { ResolvedInputs } from "../sources/resolved.ts";
import type { CouplingAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import type { PreparedStage } from "./prepare-stage.ts";
import { runHalf } from "./run-half.ts";
import { saveAnswer } from "./state-secrets.ts";

/** The halves of `coupled` or `updated` that are left: the plug's, then the socket's. */
export async function runHalves(
  attempt: CouplingAttempt,
  prepared: PreparedStage,
  { plugConfig, socketConfig, empty = [] }: ResolvedInputs,
  known: readonly CouplingEntry[],
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pair, session, memory } = attempt;
  const waiter = session.waiter(pair.plug);
  const onMade = (made: readonly CouplingEntry[]): void => {
    memory.inventory = mergeEntries(memory.inventory, made);
  };
  const { stage } = prepared;
  for (const object of [pair.plug, pair.socket]) {
    const side = sideOf(object);
    if (memory.pairing?.done.includes(side)) continue;
    const configs = { plugConfig, socketConfig };
    const which = memory.pairing?.attempt;
    const half = {
      stage,
      object,
      pair,
      waiter,
      attempt: which,
      ...configs,
      actions: prepared[side],
      empty,
      known,
      onMade,
    };
    const config = side === "plug" ? plugConfig : socketConfig;
    const onAnswer = (result: StageResult | undefined) => saveAnswer(attempt, side, { config, result }, deps, signal);
    await runHalf({ ...half, onAnswer }, deps, signal);
    memory.finish(side);
  }
}
