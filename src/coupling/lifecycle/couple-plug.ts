import { done, requeueAfter, type Result } from "#runtime";
import { identityOf, type Pair } from "../kinds/pair.ts";
import { listResultSources, listSources } from "../sources/read-sources.ts";
import { resolveInputs } from "../sources/resolve-inputs.ts";
import { resolveResults } from "../sources/resolve-results.ts";
import type { ResolvedInputs } from "../sources/resolved.ts";
import { admitPlug, warnIfNoLongerAdmitted } from "./admit-plug.ts";
import { type CouplingAttempt, isCoupled } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { reportPlug } from "./report-status.ts";
import { clientOf, waiterOf } from "./run-half.ts";
import { runStageIfDue } from "./run-stage.ts";
import { settleResults } from "./settle-results.ts";
import { holdValues, sourceReader } from "./source-readers.ts";
import { recallAnswered } from "./stage-results.ts";
import { recallState } from "./state-secrets.ts";
import { isPairedWith } from "./unparsed-objects.ts";

const resultPauseMs = 30_000;

/** Brings a plug and a socket that are both there together, or up to date: the stage if something changed, then the results. */
export async function couplePlug(attempt: CouplingAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<Result> {
  const { pair, memory, status } = attempt;
  const { plug, socket } = pair;
  const { pairing, inventory } = memory;
  const isListed = deps.roster.isListed(socket.metadata.uid ?? "", plug.metadata.uid ?? "");
  if (!(memory.pairing && isListed) && !admitPlug(attempt, deps)) return done;
  if (isCoupled(memory.pairing)) warnIfNoLongerAdmitted(attempt, deps);
  try {
    return await coupleOrUpdate(attempt, deps, signal);
  } catch (error) {
    // A plug that never gets anywhere must not keep others out, nor the socket.
    if (!pairing && !isPairedWith(status.object, socket.metadata.uid ?? "")) {
      memory.pairing = undefined;
      memory.inventory = inventory; // nothing of what was planned has been made
      deps.claims.set(plug.metadata.uid ?? "", inventory);
      deps.roster.cancel(socket.metadata.uid ?? "", plug.metadata.uid ?? "");
    }
    throw error;
  }
}

async function coupleOrUpdate(attempt: CouplingAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<Result> {
  const { key, pair, status, held } = attempt;
  const { plug, socket } = pair;
  const inputs = await readInputs(attempt, deps, signal).catch(failing("config"));
  await runStageIfDue(attempt, inputs, deps, signal);
  const reader = (side: "plug" | "socket") => sourceReader(pair, side, held, deps);
  const answered = await recallAnswered(attempt, deps, signal).catch(failing("result"));
  const results =
    "waiting" in answered
      ? answered
      : await resolveResults(plug, socket, inputs, reader, answered, signal).catch(failing("result"));
  if ("waiting" in results) {
    reportPlug(status, plug, "WaitingForResult", results.waiting);
    return requeueAfter(resultPauseMs);
  }
  holdValues(results.plugResult, held);
  holdValues(results.socketResult, held);
  await settleResults(attempt, inputs, results, deps, signal);
  const polled = deps.inputs.polledBy(key);
  if (polled) status.set({ polled: polled.length === 0 ? undefined : polled });
  reportPlug(status, plug, "CouplingSucceeded");
  return done;
}

async function readInputs(
  { key, pair, held }: CouplingAttempt,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<ResolvedInputs> {
  const { plug, socket } = pair;
  deps.inputs.follow(key, [...listSources(pair), ...listResultSources(pair)], (side) => ({
    user: identityOf(pair[side]).user,
    client: clientOf(pair[side], deps),
  }));
  return await resolveConfigs({ plug, socket }, held, deps, signal);
}

/** All inputs as they are now, with what is secret in them held. */
export async function resolveConfigs(
  pair: Pair,
  held: CouplingAttempt["held"],
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<ResolvedInputs> {
  const reader = (side: "plug" | "socket") => sourceReader(pair, side, held, deps);
  const inputs = await resolveInputs(pair.plug, pair.socket, reader, { config: configHook(pair, deps) }, signal);
  for (const map of [inputs.plugConfig, inputs.socketConfig]) holdValues(map, held);
  return inputs;
}

/** Once for each attempt, and not again for as long as the question is the same and nothing has failed. */
function configHook(pair: Pair, deps: CouplingDeps): NonNullable<Parameters<typeof resolveInputs>[3]["config"]> {
  return async (side, { plug, socket, plugData, socketData, vars }, signal) => {
    const object = pair[side];
    if (object.spec.apparatus === undefined) return undefined;
    const { uid = "" } = pair.plug.metadata;
    const objects = [pair.plug, pair.socket].map(({ metadata }) => [metadata.uid, metadata.generation]);
    const question = deps.fingerprint.ofParts([side, ...objects, plugData, socketData, vars]);
    const recall = async () => {
      const last = pair.plug.status?.pairing?.hasState ? await recallState(pair, side, deps, signal) : undefined;
      return last?.answered?.question === question ? last.answered.answer : undefined;
    };
    const known = await deps.answers.find(uid, side, question, recall);
    if (known) return known;
    const data = { plugData: { ...plugData }, socketData: { ...socketData } };
    const body = { version: 1, plug, socket, ...data, ...(object.spec.vars?.length ? { vars: { ...vars } } : {}) };
    const id = deps.fingerprint.ofParts([question, deps.answers.roundOf(uid)]);
    const waiter = waiterOf(pair.plug, deps);
    const answer = await deps.apparatus.config({ side, object, body, id, waiter }, signal);
    if (answer) deps.answers.keep(uid, side, { question, answer });
    return answer;
  };
}
