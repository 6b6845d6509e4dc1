import { redact } from "#base";
import { defaultApparatusSettings } from "./apparatus/transport/apparatus-settings.ts";
import type { CouplingPlan, PlanDeps } from "./coupling-plan.ts";
import type { CouplingEntry, Pair } from "./kinds/index.ts";
import { prepareAll } from "./lifecycle/prepare-stage.ts";
import { plannedCalls } from "./plan-calls.ts";
import { plannedAction, plannedRemoval, staleAfter } from "./planned-actions.ts";
import { plannedWarnings } from "./planned-warnings.ts";
import { plannedMount } from "./projection/plan-mount.ts";
import { explainValues } from "./sources/explain-values.ts";
import { examineInputs, resolveResults } from "./sources/resolve-values.ts";

/** The stage that a plug is about to run. */
interface PlannedStage {
  readonly stage: "coupled" | "updated";
  /** The objects of its last stage. */
  readonly before: readonly CouplingEntry[];
  /** An apparatus answered the last stage, and may answer this one otherwise. */
  readonly isAnswered: boolean;
}

/** What a stage would do, from the values of both sides to the objects. */
export async function planStage(
  pair: Pair,
  { stage, before, isAnswered }: PlannedStage,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<Omit<CouplingPlan, "plug" | "socket">> {
  const { plug, socket } = pair;
  const { problems, unanswered, ...inputs } = await examineInputs(plug, socket, deps.reader, {}, signal);
  const calls = plannedCalls(pair, stage, defaultApparatusSettings.clusterDomain);
  if (problems.length === 0 && unanswered.length > 0) {
    // The objects depend on answers that are not requested here.
    const later = redact(`values from the apparatus: ${unanswered.join("; ")}`);
    return { stage, problems: [], open: later, maps: explainValues(inputs), actions: [], calls };
  }
  if (problems.length > 0) return { problems: problems.map(redact), maps: explainValues(inputs), actions: [] };
  const results = await resolveResults(plug, socket, inputs, deps.reader, {}, signal);
  // The apparatus' last answer is in a Secret of Tenon, and its next answer may differ.
  const later = "waiting" in results ? redact(results.waiting) : isAnswered ? "the answer of the apparatus" : undefined;
  const known = "waiting" in results || isAnswered ? undefined : results;
  const made = await prepareAll(pair, stage, inputs, known, deps, signal);
  const stale = staleAfter(before, made, stage, known !== undefined);
  const mount = await plannedMount(plug, deps.reader("plug"), signal);
  const warnings = plannedWarnings(pair, inputs, known, made);
  return {
    ...(warnings.length === 0 ? {} : { warnings }),
    stage,
    problems: [],
    ...(mount ? { mount } : {}),
    ...(calls.length === 0 ? {} : { calls }),
    ...(later === undefined ? {} : { open: later }),
    maps: explainValues(inputs, known),
    actions: [...made.map(plannedAction), ...stale.flatMap((entry) => plannedRemoval(entry, stage))],
  };
}
