import { describeError, InputError, redact } from "#base";
import { keyOf } from "#kube";
import { findOpenSecrets } from "./admission/find-open-secrets.ts";
import { type AdmissionContext, examineSocket, refusePlug } from "./admission/refuse-plug.ts";
import { addressOf, serviceHost } from "./apparatus/transport/address.ts";
import { defaultApparatusSettings } from "./apparatus/transport/apparatus-settings.ts";
import { candidateNames } from "./apparatus/pods/pod-objects.ts";
import type { Side, Stage } from "./kinds/names.ts";
import { describeObject, namespaceOf, type Pair, sides } from "./kinds/pair.ts";
import type { Plug } from "./kinds/plug.ts";
import type { CouplingEntry, PlugReason } from "./kinds/shared-status.ts";
import type { Socket } from "./kinds/socket.ts";
import { isCoupled } from "./lifecycle/coupling-attempt.ts";
import { plannedPairingOfUpstream } from "./lifecycle/take-over.ts";
import { type PlacingOptions, prepareResults, prepareStage } from "./lifecycle/prepare-stage.ts";
import { inventoryOf, isOfPairing, staleEntries } from "./resources/inventory-entries.ts";
import type { RenderedAction, ResourcePhase } from "./resources/render-resources.ts";
import { type ExplainedMap, explainValues } from "./sources/explain-values.ts";
import { examineInputs, resolveResults } from "./sources/resolve-values.ts";
import type { ResolvedInputs, ResolvedResults, SourceReader } from "./sources/resolved.ts";

/** What coupling would do with a plug, without secrets. */
export interface CouplingPlan {
  /** `namespace/name`. */
  readonly plug: string;
  /** `namespace/name`; empty if the plug names none. */
  readonly socket: string;
  /** The socket that the plug would leave first, as `namespace/name`. */
  readonly leaves?: string;
  /** integration-operator coupled the plug: it stays coupled, and the stage runs once. */
  readonly takesOver?: boolean;
  /** The stage that would run if anything changed since the last one; absent if none can. */
  readonly stage?: "coupled" | "updated";
  /** Why the plug would wait, although its values are valid. */
  readonly refusal?: { readonly reason: PlugReason; readonly message: string };
  /** What the user must correct. */
  readonly problems: readonly string[];
  /** What works, and is probably not meant. */
  readonly warnings?: readonly string[];
  /** What is known only after the stage, such as missing results. */
  readonly open?: string;
  /** Each key, its value unless it is secret, and the source that won. */
  readonly maps: readonly ExplainedMap[];
  /** In order of execution. */
  readonly actions: readonly PlannedAction[];
  /** The calls to apparatuses, in order; each before the resources of its side. */
  readonly calls?: readonly PlannedCall[];
}

export interface PlannedAction {
  /** `remove`: it was created before, and would no longer be rendered. */
  readonly do: RenderedAction["do"] | "remove";
  readonly stage: ResourcePhase;
  readonly side: Side;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Where it comes from: `spec.resources[0].template`. */
  readonly field: string;
  /** It would be put back when others delete or change it. */
  readonly repair?: true;
  /** It would be followed until it is ready. */
  readonly waitFor?: "Message" | "Ready";
}

export interface PlanDeps extends PlacingOptions, AdmissionContext {
  /** Sources, as the service account of a side sees them. */
  readonly reader: (side: Side) => SourceReader;
}

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
  const names = {
    plug: keyOf(plug),
    socket: keyOf(socket),
    ...(open === undefined ? {} : { warnings: [`${describeObject(socket)}: ${open}`] }),
    ...(upstream ? { takesOver: true } : {}),
    ...(isMove ? { leaves: `${pairing.socket.namespace}/${pairing.socket.name}` } : {}),
  };
  const inventory = plug.status?.inventory ?? [];
  const left = isMove ? inventory.filter(isOfPairing).map((entry) => removal(entry, "decoupled")) : [];
  const refusal = refuse(pair, pairing !== undefined && !isMove, deps);
  if (refusal) return { ...names, refusal, problems: [], maps: [], actions: left.flat() };
  try {
    const { problems, unanswered, ...inputs } = await examineInputs(plug, socket, deps.reader, {}, signal);
    const calls = plannedCalls(pair, stage, defaultApparatusSettings.clusterDomain);
    if (problems.length === 0 && unanswered.length > 0) {
      // The objects depend on answers that are not requested here.
      const later = redact(`values from the apparatus: ${unanswered.join("; ")}`);
      return { ...names, stage, problems: [], open: later, maps: explainValues(inputs), actions: left.flat(), calls };
    }
    if (problems.length > 0) {
      return { ...names, problems: problems.map(redact), maps: explainValues(inputs), actions: left.flat() };
    }
    const results = await resolveResults(plug, socket, inputs, deps.reader, {}, signal);
    // The apparatus' last answer is in a Secret of Tenon, and its next answer may differ.
    const isAnswered = !isMove && pairing?.answered !== undefined;
    const later =
      "waiting" in results ? redact(results.waiting) : isAnswered ? "the answer of the apparatus" : undefined;
    const known = "waiting" in results || isAnswered ? undefined : results;
    const made = await prepare(pair, stage, inputs, known, deps, signal);
    const stale = isMove ? [] : staleOf(inventory, made, stage, known !== undefined);
    return {
      ...names,
      stage,
      problems: [],
      ...(calls.length === 0 ? {} : { calls }),
      ...(later === undefined ? {} : { open: later }),
      maps: explainValues(inputs, known),
      actions: [...left, ...made.map(plannedAction), ...stale.map((entry) => removal(entry, stage))].flat(),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof InputError)) throw error;
    return { ...names, problems: [describeError(error)], maps: [], actions: left.flat() };
  }
}

/** A plug that is already paired is not checked again. */
function refuse({ plug, socket }: Pair, isPaired: boolean, deps: PlanDeps): CouplingPlan["refusal"] {
  const suspended = [plug, socket].find(({ spec }) => spec.suspend);
  if (suspended) return { reason: "Suspended", message: `${describeObject(suspended)} is suspended` };
  if (socket.metadata.deletionTimestamp !== undefined) {
    return { reason: "SocketDeleting", message: `${describeObject(socket)} is being deleted` };
  }
  if (isPaired) return undefined;
  const problem = examineSocket(socket);
  if (problem) return { reason: "NamespaceNotAllowed", message: problem.message };
  return refusePlug(plug, socket, deps);
}

async function prepare(
  pair: Pair,
  stage: "coupled" | "updated",
  inputs: ResolvedInputs,
  results: ResolvedResults | undefined,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<readonly RenderedAction[]> {
  const { plug, socket } = await prepareStage(pair, stage, inputs, deps, signal);
  const ofResults = results ? await prepareResults(pair, inputs, results, deps, signal) : [];
  return [...plug, ...socket, ...ofResults];
}

/** Without the results, it is unknown which of their objects are stale. */
function staleOf(
  inventory: readonly CouplingEntry[],
  made: readonly RenderedAction[],
  stage: "coupled" | "updated",
  hasResults: boolean,
): CouplingEntry[] {
  const planned = inventoryOf(made);
  const occasions: readonly ResourcePhase[] = hasResults ? [stage, "result"] : [stage];
  return occasions.flatMap((occasion) => sides.flatMap((side) => staleEntries(inventory, planned, side, occasion)));
}

function plannedAction(action: RenderedAction): PlannedAction {
  const { side, stage, field, object, isRepaired, waitFor } = action;
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = metadata;
  const place = namespace === undefined ? {} : { namespace };
  const after = { ...(isRepaired ? { repair: true as const } : {}), ...(waitFor === undefined ? {} : { waitFor }) };
  return { do: action.do, stage, side, apiVersion, kind, ...place, name: redact(name), field, ...after };
}

/** Empty for a retained object. */
function removal(entry: CouplingEntry, stage: ResourcePhase): PlannedAction[] {
  const { group, version, kind, namespace, name, side, retained } = entry;
  if (retained) return [];
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const place = namespace === undefined ? {} : { namespace };
  return [{ do: "remove", stage, side, apiVersion, kind, ...place, name, field: "status.inventory" }];
}

/** A call to an apparatus that would be made. */
export interface PlannedCall {
  readonly event: Stage | "config";
  readonly side: Side;
  readonly url: string;
  /** A pod would be started for it. */
  readonly startsPod: boolean;
}

/** In order: both sides are asked for their config before the stage. */
function plannedCalls(pair: Pair, stage: Stage, clusterDomain: string): PlannedCall[] {
  return (["config", stage] as const).flatMap((event) =>
    sides.flatMap((side) => {
      const object = pair[side];
      const at = addressOf(object, { clusterDomain });
      if (!at) return [];
      const [name = ""] = candidateNames(object);
      const base =
        at.kind === "own" ? `http://${serviceHost(name, namespaceOf(object), clusterDomain)}${at.prefix}` : at.base;
      return [{ event, side, url: `${base}/${event}`, startsPod: at.kind === "own" }];
    }),
  );
}
