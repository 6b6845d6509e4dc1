import type { StageResult } from "../apparatus/calls/apparatus-answers.ts";
import type { Waiter } from "../apparatus/calls/apparatus-client.ts";
import { type CouplingEntry, kindOfSide, namespaceOf, sideOf, type Stage, stageEventReason } from "../kinds/index.ts";
import { ActionError, type ObjectSharing, performActions } from "../resources/perform-actions.ts";
import type { RenderedAction } from "../resources/render-resources.ts";
import type { EmptyValue } from "../sources/empty-values.ts";
import { callBody, type CallParts } from "./call-body.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { StageError } from "./coupling-failure.ts";
import { actionOptions, clientOf, sharingOf } from "./side-actions.ts";
import { warnOfEmpty, warnOfUnquoted } from "./warn-of-templates.ts";

export interface StageHalf extends CallParts {
  readonly stage: Stage;
  readonly waiter: Waiter;
  /** Which attempt of the pairing it is. */
  readonly attempt?: string | undefined;
  readonly actions: readonly RenderedAction[];
  /** What this side's config is computed from although it does not exist. */
  readonly empty?: readonly EmptyValue[];
  /** The objects of earlier stages. */
  readonly known: readonly CouplingEntry[];
  /** Called with the apparatus' result before the resources; undefined if the answer has none. */
  readonly onAnswer?: (result: StageResult | undefined) => Promise<void>;
  /** Called with the created objects, also when a later one fails. */
  readonly onMade: (made: readonly CouplingEntry[]) => void;
}

/** One side's half of a stage: the apparatus, then the resources, then the Event. */
export async function runHalf(half: StageHalf, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { stage, object, pair, waiter, onMade } = half;
  const side = sideOf(object);
  const kind = kindOfSide[side];
  const started = deps.clock.monotonic();
  try {
    const call = { stage, side, object, body: callBody(half), id: idOf(half, deps), waiter };
    const result = await deps.apparatus.call(call, signal);
    await half.onAnswer?.(result ?? undefined);
    const options = { ...actionOptions(object, pair, half.known, deps), sharing: sharingOfHalf(half, deps) };
    onMade(await performActions(half.actions, clientOf(object, deps), options, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ActionError) onMade(error.made);
    throw new StageError(error, stage, side);
  }
  deps.report.metrics.stage(stage, side, (deps.clock.monotonic() - started) / 1000);
  warnOfUnquoted(half.actions, object, deps);
  // What is undone needs no values.
  if (stage !== "decoupled" && stage !== "deleted") warnOfEmpty(half.empty ?? [], half.actions, object, pair, deps);
  deps.report.events[kind].record(object, {
    type: "Normal",
    reason: stageEventReason(kind, stage),
    message: `${side} ${namespaceOf(object)}/${object.metadata.name} ${stage}`,
    ...(side === "socket" && pair.plug ? { related: pair.plug } : {}),
  });
}

/** What decoupling writes belongs to no plug. */
function sharingOfHalf({ stage, pair, socketConfig }: StageHalf, deps: CouplingDeps): ObjectSharing | undefined {
  const { plug, socket } = pair;
  const isMaking = stage === "coupled" || stage === "updated";
  return isMaking && plug && socket ? sharingOf({ plug, socket }, socketConfig, deps) : undefined;
}

/** An edit gives `created` a new id; `deleted` keeps its id. */
function idOf({ stage, object, pair, attempt }: StageHalf, { fingerprint }: CouplingDeps): string {
  const { uid, generation } = object.metadata;
  const which = stage === "created" ? generation : attempt;
  return fingerprint.ofParts([stage, uid, pair.plug?.metadata.uid, pair.socket?.metadata.uid, which]);
}
