import { valueAt } from "#base";
import { describeRef, keyOf, type KubeClient, type KubeObject, type ObjectRef } from "#kube";
import type { StageResult } from "../apparatus/calls/apparatus-answers.ts";
import type { Waiter } from "../apparatus/calls/apparatus-client.ts";
import { type Stage, stageEventReason, warnings } from "../kinds/names.ts";
import { describeObject, identityOf, jsonObject, kindOfSide, namespaceOf, type Pair, sideOf } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { CouplingEntry } from "../kinds/shared-status.ts";
import type { Socket } from "../kinds/socket.ts";
import { inventoryOf, mergeEntries } from "../resources/inventory-entries.ts";
import { ActionError, type ActionOptions, type ObjectSharing, performActions } from "../resources/perform-actions.ts";
import { removeObjects } from "../resources/remove-objects.ts";
import type { RenderedAction } from "../resources/render-resources.ts";
import type { ResolvedMap } from "../sources/resolved.ts";
import { callView, plainTexts, viewOf } from "../sources/template-data.ts";
import { socketForPlugs, visibleConfig } from "../sources/visible-values.ts";
import { byUid, type CouplingDeps } from "./coupling-deps.ts";
import { failing, StageError } from "./coupling-failure.ts";
import { hasSharedWatch } from "./input-watches.ts";
import { isCreated } from "./unparsed-objects.ts";
import {
  type Configs,
  objectOrigin,
  noConfig,
  type PlacingOptions,
  prepareOwnStage,
  writtenBy,
} from "./prepare-stage.ts";

/** The last pairing of a plug: its socket and configs at that time. */
export interface LastPairing extends Configs {
  readonly socket: Socket;
}

interface StageHalf {
  readonly stage: Stage;
  readonly object: Plug | Socket;
  /** The other side, if the stage has one. */
  readonly pair: Partial<Pair>;
  readonly waiter: Waiter;
  /** Which attempt of the pairing it is. */
  readonly attempt?: string | undefined;
  readonly plugConfig: ResolvedMap;
  readonly socketConfig: ResolvedMap;
  readonly actions: readonly RenderedAction[];
  /** The last pairing, for the apparatus of a deleted plug. */
  readonly lastPairing?: LastPairing;
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
    const call = { stage, side, object, body: bodyOf(half), id: idOf(half, deps), waiter };
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

/** Deletes objects of a side, with the rights of that side. */
export async function removeMade(
  entries: readonly CouplingEntry[],
  object: Plug | Socket,
  pair: Partial<Pair>,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  if (entries.length === 0) return;
  const options = { origin: objectOrigin(object, pair), claims: deps.claims, cached: cachedObjects(deps) };
  const [first, ...others] = await removeObjects(entries, clientOf(object, deps), options, signal);
  if (!first) return;
  const { kind, name } = first.entry;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new Error(`${kind} ${name}${more} of ${describeObject(object)} cannot be deleted`, { cause: first.error });
}

/** Acts as the service account of a side. */
export function clientOf(object: Plug | Socket, { client }: Pick<CouplingDeps, "client">): KubeClient {
  return client.impersonate(identityOf(object));
}

export function actionOptions(
  object: Plug | Socket,
  pair: Partial<Pair>,
  known: readonly CouplingEntry[],
  { claims, clock, cluster }: CouplingDeps,
): ActionOptions {
  const cached = cachedObjects({ cluster });
  const isAbsent = (ref: ObjectRef): boolean =>
    hasSharedWatch(ref) && cluster.covers(ref.namespace ?? "") && cached(ref) === undefined;
  return { origin: objectOrigin(object, pair), known, claims, cached, isAbsent, clock };
}

/** How the objects of a socket are shared with its other plugs. */
export function sharingOf(
  { plug, socket }: Pair,
  socketConfig: ResolvedMap,
  { cluster: { plugs }, fingerprint, report }: CouplingDeps,
): ObjectSharing {
  const { generation, uid } = socket.metadata;
  const find = (plugUid: string) => plugs.byIndex(byUid, plugUid)[0];
  return {
    basis: fingerprint.ofParts([uid, generation, writtenBy("socket", socketConfig)]),
    isCurrent: (plugUid) => valueAt(find(plugUid), ["status", "pairing", "socketGeneration"]) === generation,
    reportClash: (ref, otherUid) => {
      const other = find(otherUid);
      const name = other ? `Plug/${keyOf(other)}` : "another plug";
      const message = `${describeRef(ref)}: ${describeObject(plug)} is refused, because ${name} has it with another content; put .plug.metadata.uid into its name`;
      report.events.Socket.record(socket, { type: "Warning", reason: warnings.sharedObject, message, related: plug });
      // A tenant learns nothing about plugs of other namespaces.
      return other && namespaceOf(other) === namespaceOf(plug) ? name : `another plug of ${describeObject(socket)}`;
    },
  };
}

export function cachedObjects({
  cluster: { metadataStores },
}: Pick<CouplingDeps, "cluster">): (ref: ObjectRef) => KubeObject | undefined {
  return (ref) => (hasSharedWatch(ref) ? metadataStores[ref.kind].get(`${ref.namespace}/${ref.name}`) : undefined);
}

/** Once for each template: a warning before a value breaks it. */
export function warnOfUnquoted(actions: readonly RenderedAction[], object: Plug | Socket, deps: CouplingDeps): void {
  const found = new Map(actions.map(({ field, unquoted }) => [field, unquoted]));
  for (const [field, names] of found) {
    if (names.length === 0) continue;
    deps.report.events[kindOfSide[sideOf(object)]].record(object, {
      type: "Warning",
      reason: warnings.unquoted,
      message: `${field}: ${names.join(", ")} may contain characters that are special in YAML; pass it through quote or toJson`,
    });
  }
}

/** The body of a stage call, as its side may see it: an unknown object is null, and an unknown config is empty. */
function bodyOf({ lastPairing, ...half }: StageHalf) {
  const { pair, object, plugConfig, socketConfig } = { ...half, ...lastPairing };
  const plug = object.kind === "Plug" ? object : pair.plug;
  const known = object.kind === "Socket" ? object : (lastPairing?.socket ?? pair.socket);
  const socket = known && object.kind === "Plug" ? socketForPlugs(known) : known;
  return jsonObject({
    version: "1",
    plug: plug ? viewOf(plug) : null,
    socket: socket ? callView(socket) : null,
    plugConfig: plainTexts(plugConfig),
    socketConfig: plainTexts(visibleConfig(sideOf(object), known, socketConfig)),
  });
}

/** An edit gives `created` a new id; `deleted` keeps its id. */
function idOf({ stage, object, pair, attempt }: StageHalf, { fingerprint }: CouplingDeps): string {
  const { uid, generation } = object.metadata;
  const which = stage === "created" ? generation : attempt;
  return fingerprint.ofParts([stage, uid, pair.plug?.metadata.uid, pair.socket?.metadata.uid, which]);
}

export function placingOf({ client, cluster: { allowClusterScoped } }: CouplingDeps): PlacingOptions {
  return { discovery: client.discovery, allowClusterScoped };
}

/** A stage without another side, and who waits for its apparatus. */
type OwnStage = Pick<StageHalf, "object" | "waiter">;

/** The stage `created` of a plug or a socket. Saves the planned inventory first; returns the final one. */
export async function performCreated(
  own: OwnStage,
  before: readonly CouplingEntry[],
  remember: (inventory: readonly CouplingEntry[]) => Promise<void>,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<readonly CouplingEntry[]> {
  const { object } = own;
  const actions = await prepareOwnStage(object, "created", placingOf(deps), signal).catch(
    failing("created", sideOf(object)),
  );
  let inventory = mergeEntries(before, inventoryOf(actions));
  if (actions.length > 0) await remember(inventory);
  const onMade = (made: readonly CouplingEntry[]): void => {
    inventory = mergeEntries(inventory, made);
  };
  await runHalf(ownHalf(own, "created", actions, before, onMade), deps, signal);
  return inventory;
}

/** The stage `deleted`, and the deletion of the objects of `created`. What was never created is not told to be deleted. */
export async function performDeleted(
  own: OwnStage,
  inventory: readonly CouplingEntry[],
  lastPairing: LastPairing | undefined,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { object } = own;
  const side = sideOf(object);
  if (isCreated(object)) {
    const actions = await prepareOwnStage(object, "deleted", placingOf(deps), signal).catch(failing("deleted", side));
    const half = ownHalf(own, "deleted", actions, inventory, () => {});
    await runHalf(lastPairing ? { ...half, lastPairing } : half, deps, signal);
  }
  const made = inventory.filter((entry) => entry.side === side && entry.stage === "created");
  await removeMade(made, object, {}, deps, signal).catch(failing("deleted", side));
}

function ownHalf(
  own: OwnStage,
  stage: "created" | "deleted",
  actions: readonly RenderedAction[],
  known: readonly CouplingEntry[],
  onMade: StageHalf["onMade"],
): StageHalf {
  return { ...own, stage, pair: {}, plugConfig: noConfig, socketConfig: noConfig, actions, known, onMade };
}
