import { type KubeClient, keyOf, type KubeObject, type ObjectRef } from "#kube";
import type { Waiter } from "../apparatus/apparatus.ts";
import type { StageResult } from "../apparatus/stage-result.ts";
import { jsonObject } from "../kinds/json-object.ts";
import { annotations, type Stage, stageEventReason, warnings } from "../kinds/names.ts";
import { describeObject, identityOf, kindOfSide, namespaceOf, type Pair, sideOf } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { InventoryEntry } from "../kinds/shared-status.ts";
import type { Socket } from "../kinds/socket.ts";
import { carryOut, CarryOutError, type CarryOutOptions } from "../resources/carry-out.ts";
import { removeObjects } from "../resources/remove-objects.ts";
import type { RenderedAction } from "../resources/rendered.ts";
import { plainTexts, viewOf } from "../sources/template-data.ts";
import type { ResolvedMap } from "../sources/resolved.ts";
import { belongingOf } from "./attempt.ts";
import type { CouplingDeps, Farewell } from "./coupling-deps.ts";
import { StageError } from "./failure.ts";
import { isSignalled } from "./is-signalled.ts";

export interface Half {
  readonly stage: Stage;
  readonly object: Plug | Socket;
  /** The other side, if there is one. */
  readonly pair: Partial<Pair>;
  /** Which attempt of the pairing it is. */
  readonly attempt?: string | undefined;
  readonly plugConfig: ResolvedMap;
  readonly socketConfig: ResolvedMap;
  readonly actions: readonly RenderedAction[];
  /** What the apparatus of a plug is told of the pairing that it has left. */
  readonly farewell?: Farewell;
  /** What earlier stages made. */
  readonly known: readonly InventoryEntry[];
  /** Told what the apparatus answered, before the resources; undefined if that says nothing of a result. */
  readonly onAnswer?: (result: StageResult | undefined) => Promise<void>;
  /** Told of each object that was made, also when a later one fails. */
  readonly onMade: (made: readonly InventoryEntry[]) => void;
}

/** One side's half of a stage: the apparatus, then the resources, then the Event. */
export async function runHalf(half: Half, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { stage, object, pair, onMade } = half;
  const side = sideOf(object);
  const kind = kindOfSide[side];
  const started = deps.clock.monotonic();
  try {
    const waiter = waiterOf(pair.plug ?? object, deps);
    const call = { stage, side, object, body: bodyOf(half), id: idOf(half, deps), waiter };
    const result = await deps.apparatus.call(call, signal);
    await half.onAnswer?.(result ?? undefined);
    onMade(
      await carryOut(half.actions, clientOf(object, deps), carryOutOptions(object, pair, half.known, deps), signal),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CarryOutError) onMade(error.made);
    throw new StageError(error, stage, side);
  }
  deps.metrics.stage(stage, side, (deps.clock.monotonic() - started) / 1000);
  warnOfUnquoted(half.actions, object, deps);
  deps.events[kind].record(object, {
    type: "Normal",
    reason: stageEventReason(kind, stage),
    message: `${side} ${namespaceOf(object)}/${object.metadata.name} ${stage}`,
    ...(side === "socket" && pair.plug ? { related: pair.plug } : {}),
  });
}

/** Removes what a side has made, with the rights of that side. */
export async function removeMade(
  entries: readonly InventoryEntry[],
  object: Plug | Socket,
  pair: Partial<Pair>,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  if (entries.length === 0) return;
  const options = { belonging: belongingOf(object, pair), claims: deps.claims, heard: heardOf(deps) };
  const [first, ...others] = await removeObjects(entries, clientOf(object, deps), options, signal);
  if (!first) return;
  const { kind, name } = first.entry;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new Error(`${kind} ${name}${more} of ${describeObject(object)} cannot be deleted`, { cause: first.error });
}

/** Everything for a side is done with the rights of its service account. */
export function clientOf(object: Plug | Socket, { client }: Pick<CouplingDeps, "client">): KubeClient {
  return client.impersonate(identityOf(object));
}

export function carryOutOptions(
  object: Plug | Socket,
  pair: Partial<Pair>,
  known: readonly InventoryEntry[],
  { claims, clock, signals }: CouplingDeps,
): CarryOutOptions {
  const heard = heardOf({ signals });
  const isAbsent = (ref: ObjectRef): boolean => isSignalled(ref) && heard(ref) === undefined;
  return { belonging: belongingOf(object, pair), known, claims, heard, isAbsent, clock };
}

function heardOf({ signals }: Pick<CouplingDeps, "signals">): (ref: ObjectRef) => KubeObject | undefined {
  return (ref) => (isSignalled(ref) ? signals[ref.kind].get(`${ref.namespace}/${ref.name}`) : undefined);
}

/** Once for each template: who wrote it should learn of it before a value does harm. */
export function warnOfUnquoted(actions: readonly RenderedAction[], object: Plug | Socket, deps: CouplingDeps): void {
  const found = new Map(actions.map(({ field, unquoted }) => [field, unquoted]));
  for (const [field, names] of found) {
    if (names.length === 0) continue;
    deps.events[kindOfSide[sideOf(object)]].record(object, {
      type: "Warning",
      reason: warnings.unquoted,
      message: `${field}: ${names.join(", ")} may hold what means something to YAML; pass it through quote or toJson`,
    });
  }
}

/** The words of seed 003: what is not known is null, or an empty config. */
function bodyOf({ farewell, ...half }: Half) {
  const { pair, object, plugConfig, socketConfig } = { ...half, ...farewell };
  const plug = object.kind === "Plug" ? object : pair.plug;
  const socket = object.kind === "Socket" ? object : (farewell?.socket ?? pair.socket);
  return jsonObject({
    version: "1",
    plug: plug ? viewOf(plug) : null,
    socket: socket ? viewOf(socket) : null,
    plugConfig: plainTexts(plugConfig),
    socketConfig: plainTexts(socketConfig),
  });
}

/** Of a stage that concerns one side, an edit makes another one, unless it is the last. */
function idOf({ stage, object, pair, attempt }: Half, { fingerprint }: CouplingDeps): string {
  const { uid, generation } = object.metadata;
  const which = stage === "created" ? generation : attempt;
  return fingerprint.ofParts([stage, uid, pair.plug?.metadata.uid, pair.socket?.metadata.uid, which]);
}

/** Whoever is looked at: a plug, or a socket by itself. */
export function waiterOf(object: Plug | Socket, { wakeups, secrets }: CouplingDeps): Waiter {
  const side = sideOf(object);
  const { uid = "", annotations: given = {} } = object.metadata;
  const retry = given[annotations.retry];
  return { uid, retry, redact: secrets.redactFor(uid), wake: () => wakeups[side].wake(keyOf(object)) };
}
