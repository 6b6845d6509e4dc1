import { done, requeueAfter, type Result } from "#runtime";
import { apiVersion, warnings } from "../kinds/names.ts";
import { type Pair, sideOf } from "../kinds/pair.ts";
import type { ObjectIdentity } from "../kinds/shared-status.ts";
import { entryKey, inventoryOf, mergeEntries } from "../resources/inventory-entries.ts";
import { ActionError, performActions } from "../resources/perform-actions.ts";
import { resolveResults } from "../sources/resolve-values.ts";
import type { ResolvedInputs, ResolvedMap, ResolvedResults } from "../sources/resolved.ts";
import { plainTexts } from "../sources/template-data.ts";
import { admitPlug, warnIfNoLongerAdmitted } from "./admit-plug.ts";
import { type CouplingAttempt, isCoupled, isFinished, saveProgress } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { prepareResults } from "./prepare-stage.ts";
import { followInputs, holdValues, readInputs, sourceReader } from "./read-inputs.ts";
import { reportCoupled, reportPlug } from "./report-status.ts";
import { actionOptions, clientOf, placingOf, sharingOf, warnOfUnquoted } from "./run-half.ts";
import { prune, runStageIfDue } from "./run-stage.ts";
import { areResultsKept, recallAnswered, repairStates, saveResults } from "./state-secrets.ts";
import { ownTended, pairingTended, tendingOf, tendObjects } from "./tend-objects.ts";
import { findOwnInputs } from "./update-loop.ts";
import { isPairedWith } from "./unparsed-objects.ts";

const resultPauseMs = 30_000;

/** Couples a plug to an existing socket, or updates it: the stage if something changed, then the results. */
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
    // A plug that has changed nothing must not occupy a place, nor delay the socket's deletion.
    if (!pairing && !isPairedWith(status.object, socket.metadata.uid ?? "")) {
      memory.pairing = undefined;
      memory.inventory = inventory; // none of the planned objects was created
      deps.claims.set(plug.metadata.uid ?? "", inventory);
      deps.roster.cancel(socket.metadata.uid ?? "", plug.metadata.uid ?? "");
    }
    throw error;
  }
}

async function coupleOrUpdate(attempt: CouplingAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<Result> {
  const { pair, session, status } = attempt;
  const { plug, socket } = pair;
  const inputs = await readInputs(attempt, deps, signal).catch(failing("config"));
  const waitMs = delayOwnUpdate(attempt, inputs, deps);
  if (waitMs > 0) return requeueAfter(waitMs);
  await runStageIfDue(attempt, inputs, deps, signal);
  if (attempt.memory.pairing?.hasState) await repairStates(attempt, inputs, deps, signal).catch(failing("result"));
  const reader = (side: "plug" | "socket") => sourceReader(pair, side, session.secrets, deps);
  const answered = await recallAnswered(attempt, deps, signal).catch(failing("result"));
  const results =
    "waiting" in answered
      ? answered
      : await resolveResults(plug, socket, inputs, reader, answered, signal).catch(failing("result"));
  if ("waiting" in results) {
    const { restMs } = await tendPlug(attempt, { inputs, results: undefined }, deps, signal);
    reportPlug(status, plug, "WaitingForResult", results.waiting);
    return requeueAfter(Math.min(resultPauseMs, restMs ?? resultPauseMs));
  }
  holdValues(results.plugResult, session.secrets);
  holdValues(results.socketResult, session.secrets);
  await settleResults(attempt, inputs, results, deps, signal);
  const { restMs, unready } = await tendPlug(attempt, { inputs, results }, deps, signal);
  const polled = deps.inputs.watches.polledBy(session.key);
  if (polled) status.set({ polled: polled.length === 0 ? undefined : polled });
  reportCoupled(status, plug, unready);
  return restMs === undefined ? done : requeueAfter(restMs);
}

/** Looks after the objects of the plug's own stages and of the pairing. */
async function tendPlug(
  attempt: CouplingAttempt,
  { inputs, results }: { readonly inputs: ResolvedInputs; readonly results: ResolvedResults | undefined },
  deps: CouplingDeps,
  signal: AbortSignal,
): ReturnType<typeof tendObjects> {
  const { pair, memory } = attempt;
  const { stage = "coupled" } = memory.pairing ?? {};
  const rendered = [
    ...(await ownTended(pair.plug, deps, signal).catch(failing("repair", "plug"))),
    ...(await pairingTended(pair, stage, inputs, results, deps, signal).catch(failing("repair"))),
  ];
  return await tendObjects(rendered, tendingOf(attempt), () => followInputs(attempt, deps), deps, signal);
}

/**
 * How long to wait before an update whose inputs the last one may have changed itself: such updates would follow each other for
 * ever. The plug stays coupled meanwhile, and a condition and an Event name the input.
 */
function delayOwnUpdate(
  { pair, session, memory, status }: CouplingAttempt,
  inputs: ResolvedInputs,
  deps: CouplingDeps,
): number {
  const { pairing } = memory;
  if (!pairing || !isCoupled(pairing) || !isFinished(pairing)) return 0;
  const { plug, socket } = pair;
  if (pairing.inputsHash === deps.fingerprint.ofInputs(pair, inputs)) {
    session.loop.end();
    status.removeCondition("UpdateLoop");
    return 0;
  }
  const isOfUser =
    pairing.generation !== plug.metadata.generation || pairing.socketGeneration !== socket.metadata.generation;
  const [own] = isOfUser ? [] : findOwnInputs(pair, memory.inventory);
  if (own === undefined) return 0;
  const { restMs } = session.loop;
  if (restMs === 0) {
    session.loop.note();
    return 0;
  }
  const message = `${own}, so that each update causes the next one; updates wait longer and longer, up to 5 minutes`;
  status.setCondition({ type: "UpdateLoop", status: "True", reason: "OwnOutputIsInput", message });
  deps.report.events.Plug.record(plug, { type: "Warning", reason: warnings.updateLoop, message });
  reportPlug(status, plug, "CouplingSucceeded");
  return restMs;
}

/**
 * After the stage: the socket's result resources, the plug's, the Secret, and then the socket lists the plug. The resources are
 * applied only if the stage or the results differ from the last completed ones; the Secret also if it was deleted or changed.
 */
async function settleResults(
  attempt: CouplingAttempt,
  inputs: ResolvedInputs,
  results: ResolvedResults,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pair, memory, status } = attempt;
  const { plug, socket } = pair;
  const resultHash = deps.fingerprint.ofResults(pair, results);
  const isOther = memory.inputsHash !== memory.pairing?.inputsHash || memory.resultHash !== resultHash;
  if (isOther) {
    await makeResultResources(attempt, inputs, results, deps, signal).catch(failing("result"));
  }
  await keepIfAny(attempt, results, { resultHash, isOther }, deps, signal).catch(failing("result"));
  await deps.roster.join(socket.metadata.uid ?? "", identify("Plug", plug.metadata));
  status.set({
    inputsHash: memory.pairing?.inputsHash,
    resultHash,
    coupledSocket: identify("Socket", socket.metadata),
    coupledResult: {
      plug: shownResults(results.plugResult, deps),
      socket: shownResults(results.socketResult, deps),
      // Unstable values are shown as they were when they were used.
      ...(isUnstable(results) && !isOther ? plug.status?.coupledResult : {}),
      observedGeneration: plug.metadata.generation,
    },
  });
}

function identify(
  kind: "Plug" | "Socket",
  { name, namespace = "", uid = "" }: Pair["plug"]["metadata"],
): ObjectIdentity {
  return { apiVersion, kind, name, namespace, uid };
}

function isUnstable(results: ResolvedResults): boolean {
  return unstableKeysOf(results).length > 0;
}

function unstableKeysOf({ plugResult, socketResult }: ResolvedResults): string[] {
  return [...plugResult, ...socketResult].flatMap(([key, value]) => (value.isUnstable ? [key] : []));
}

async function keepIfAny(
  { pair, session, memory }: CouplingAttempt,
  results: ResolvedResults,
  { resultHash, isOther }: { readonly resultHash: string; readonly isOther: boolean },
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const isKnown = memory.bindingName !== undefined;
  const texts = { ...plainTexts(results.plugResult), ...plainTexts(results.socketResult) };
  if (!isKnown && Object.keys(texts).length === 0) return;
  const isCurrent = isKnown && memory.resultHash === resultHash && !(isOther && isUnstable(results));
  const unstableKeys = new Set(unstableKeysOf(results));
  if (isCurrent && (await areResultsKept({ pair, session }, texts, unstableKeys, deps, signal))) return;
  memory.bindingName = await saveResults({ pair, session }, texts, { isKnown }, deps, signal);
}

async function makeResultResources(
  attempt: CouplingAttempt,
  inputs: ResolvedInputs,
  results: ResolvedResults,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pair, memory } = attempt;
  const actions = await prepareResults(pair, inputs, results, placingOf(deps), signal);
  const planned = inventoryOf(actions);
  const before = memory.inventory;
  const known = new Set(before.map(entryKey));
  if (planned.some((entry) => !known.has(entryKey(entry)))) {
    memory.inventory = mergeEntries(before, planned);
    deps.claims.set(pair.plug.metadata.uid ?? "", memory.inventory);
    await saveProgress(attempt.status, deps.cluster.plugs);
  }
  for (const object of [pair.socket, pair.plug]) {
    const side = sideOf(object);
    const own = actions.filter((action) => action.side === side);
    const options = {
      ...actionOptions(object, pair, before, deps),
      sharing: sharingOf(pair, inputs.socketConfig, deps),
    };
    try {
      memory.inventory = mergeEntries(
        memory.inventory,
        await performActions(own, clientOf(object, deps), options, signal),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ActionError) memory.inventory = mergeEntries(memory.inventory, error.made);
      failing("result", side)(error);
    }
    warnOfUnquoted(own, object, deps);
  }
  await prune(attempt, planned, "result", deps, signal);
}

/** A fingerprint replaces each secret value. */
function shownResults(results: ResolvedMap, { fingerprint }: CouplingDeps): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...results].map(([key, { value, isSecret }]) => [key, isSecret ? fingerprint.ofValue(value) : value]),
  );
}
