import { done, requeueAfter, type Result } from "#runtime";
import { resolveResults } from "../sources/resolve-values.ts";
import type { CouplingAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { delayOwnResults, delayOwnUpdate } from "./delay-own-update.ts";
import { holdValues, readInputs, sourceReader } from "./read-inputs.ts";
import { reportCoupled, reportPlug } from "./report-status.ts";
import { runStageIfDue } from "./run-stage.ts";
import { keepBinding, settleResults } from "./settle-results.ts";
import { recallAnswered, repairStates } from "./state-secrets.ts";
import { projectResults, tendPlug } from "./tend-plug.ts";
import { isCoupledTrue } from "./unparsed-objects.ts";

const resultPauseMs = 30_000;

/** The stage if something changed, then the results, and then what was made is looked after. */
export async function coupleOrUpdate(
  attempt: CouplingAttempt,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<Result> {
  const { pair, session, status } = attempt;
  const { plug, socket } = pair;
  const inputs = await readInputs(attempt, deps, signal).catch(failing("config"));
  const updateInMs = delayOwnUpdate(attempt, inputs, deps);
  if (updateInMs === 0) await runStageIfDue(attempt, inputs, deps, signal);
  if (attempt.memory.pairing?.hasState) await repairStates(attempt, inputs, deps, signal).catch(failing("result"));
  const reader = (side: "plug" | "socket") => sourceReader(pair, side, session.secrets, deps);
  const answered = await recallAnswered(attempt, deps, signal).catch(failing("result"));
  const results =
    "waiting" in answered
      ? answered
      : await resolveResults(plug, socket, inputs, reader, answered, signal).catch(failing("result"));
  const isWaiting = updateInMs > 0 && isCoupledTrue(plug);
  if ("waiting" in results) {
    if (isWaiting) return requeueAfter(updateInMs);
    const { restMs } = await tendPlug(attempt, { inputs, results: undefined }, deps, signal);
    reportPlug(status, plug, "WaitingForResult", results.waiting);
    return requeueAfter(Math.min(resultPauseMs, restMs ?? resultPauseMs));
  }
  holdValues(results.plugResult, session.secrets);
  holdValues(results.socketResult, session.secrets);
  const waitMs = isWaiting ? updateInMs : delayOwnResults(attempt, results, deps);
  if (waitMs > 0) {
    await keepBinding(attempt, results, deps, signal).catch(failing("result"));
    return requeueAfter(waitMs);
  }
  await settleResults(attempt, inputs, results, deps, signal);
  const tended = await tendPlug(attempt, { inputs, results }, deps, signal);
  const projected = await projectResults(attempt, results, deps, signal).catch(failing("projection", "plug"));
  const polled = deps.inputs.watches.polledBy(session.key);
  if (polled) status.set({ polled: polled.length === 0 ? undefined : polled });
  reportCoupled(status, plug, [...tended.unready, ...projected.unready]);
  const { calmInMs } = session.loop;
  if (calmInMs === undefined) status.removeCondition("UpdateLoop");
  const rests = [tended.restMs, projected.restMs, calmInMs, updateInMs || undefined].filter((ms) => ms !== undefined);
  return rests.length === 0 ? done : requeueAfter(Math.min(...rests));
}
