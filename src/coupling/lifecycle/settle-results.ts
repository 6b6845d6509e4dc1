import { apiVersion, type ObjectIdentity, type Pair, sideOf } from "../kinds/index.ts";
import { entryKey, inventoryOf, mergeEntries } from "../resources/inventory-entries.ts";
import { ActionError, performActions } from "../resources/perform-actions.ts";
import type { ResolvedInputs, ResolvedMap, ResolvedResults } from "../sources/resolved.ts";
import { plainTexts } from "../sources/template-data.ts";
import { type CouplingAttempt, saveProgress } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { prepareResults } from "./prepare-stage.ts";
import { pruneObjects } from "./prune-objects.ts";
import { actionOptions, clientOf, placingOf, sharingOf } from "./side-actions.ts";
import { areResultsKept, saveResults } from "./result-secret.ts";
import { warnOfEmpty, warnOfUnquoted } from "./warn-of-templates.ts";

/**
 * After the stage: the socket's result resources, the plug's, the Secret, and then the socket lists the plug. The resources are
 * applied only if the stage or the results differ from the last completed ones; the Secret also if it was deleted or changed.
 */
export async function settleResults(
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
  const texts = resultTexts(results);
  if (!isKnown && Object.keys(texts).length === 0 && pair.plug.spec.workload === undefined) return;
  const isCurrent = isKnown && memory.resultHash === resultHash && !(isOther && isUnstable(results));
  const unstableKeys = new Set(unstableKeysOf(results));
  if (isCurrent && (await areResultsKept({ pair, session }, texts, unstableKeys, deps, signal))) return;
  memory.bindingName = await saveResults({ pair, session }, texts, { isKnown }, deps, signal);
}

/** Puts the Secret with the results back if it was deleted or changed. */
export async function keepBinding(
  { pair, session, memory }: CouplingAttempt,
  results: ResolvedResults,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  if (memory.bindingName === undefined) return;
  const texts = resultTexts(results);
  if (await areResultsKept({ pair, session }, texts, new Set(unstableKeysOf(results)), deps, signal)) return;
  await saveResults({ pair, session }, texts, { isKnown: true }, deps, signal);
}

export function resultTexts({ plugResult, socketResult }: ResolvedResults): Readonly<Record<string, string>> {
  return { ...plainTexts(plugResult), ...plainTexts(socketResult) };
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
    warnOfEmpty(results.empty ?? [], own, object, pair, deps);
  }
  await pruneObjects(attempt, planned, "result", deps, signal);
}

/** A fingerprint replaces each secret value. */
function shownResults(results: ResolvedMap, { fingerprint }: CouplingDeps): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...results].map(([key, { value, isSecret }]) => [key, isSecret ? fingerprint.ofValue(value) : value]),
  );
}
