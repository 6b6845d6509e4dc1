import type { Stage } from "../kinds/names.ts";
import { kindOfSide, namespaceOf, type Pair, sideOf } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import type { Belonging } from "../resources/mark-object.ts";
import { placeActions, type PlacingOptions } from "../resources/place-actions.ts";
import { renderResources, renderResultResources } from "../resources/render-resources.ts";
import type { RenderedAction } from "../resources/rendered.ts";
import type { ResolvedInputs, ResolvedMap, ResolvedResults } from "../sources/resolved.ts";
import { ownData, resultData, stageData } from "../sources/template-data.ts";
import { ownBy } from "./own-by.ts";

/** What a stage will do, decided before anything of it is done. */
export interface Attempt {
  readonly stage: Stage;
  readonly plug: readonly RenderedAction[];
  readonly socket: readonly RenderedAction[];
}

export type Configs = Pick<ResolvedInputs, "plugConfig" | "socketConfig">;

/** Both halves of `coupled`, `updated` or `decoupled`. */
export async function prepareStage(
  pair: Pair,
  stage: Stage,
  { plugConfig, socketConfig }: Configs,
  options: PlacingOptions,
  signal: AbortSignal,
): Promise<Attempt> {
  const configs = { plugConfig, socketConfig };
  const data = stageData(pair, configs);
  const prepare = (object: Plug | Socket): RenderedAction[] =>
    renderResources(object.spec.resources ?? [], stage, {
      belonging: belongingOf(object, pair),
      data,
      isOwn: ownBy(sideOf(object), configs),
    });
  const [plug, socket] = [prepare(pair.plug), prepare(pair.socket)];
  return {
    stage,
    plug: await placeActions(plug, options, signal),
    socket: await placeActions(socket, options, signal),
  };
}

/** The one half of `created` and `deleted`. */
export async function prepareOwnStage(
  object: Plug | Socket,
  stage: "created" | "deleted",
  options: PlacingOptions,
  signal: AbortSignal,
): Promise<readonly RenderedAction[]> {
  const actions = renderResources(object.spec.resources ?? [], stage, {
    belonging: belongingOf(object, {}),
    data: ownData(object),
    isOwn: undefined,
  });
  return placeActions(actions, options, signal);
}

/** What comes after the results are there: the socket's first, then the plug's. */
export async function prepareResults(
  pair: Pair,
  configs: Configs,
  results: Pick<ResolvedResults, "plugResult" | "socketResult">,
  options: PlacingOptions,
  signal: AbortSignal,
): Promise<readonly RenderedAction[]> {
  const { plugConfig, socketConfig } = configs;
  const { plugResult, socketResult } = results;
  const actions = [pair.socket, pair.plug].flatMap((object) => {
    const belonging = belongingOf(object, pair);
    const data = resultData(pair, belonging.side, { plugConfig, socketConfig, plugResult, socketResult });
    const isOwn = ownBy(belonging.side, { plugConfig, socketConfig, plugResult, socketResult });
    return renderResultResources(object.spec.resultResources ?? [], { belonging, data, isOwn });
  });
  return placeActions(actions, options, signal);
}

/** Whether decoupling runs anything that reads the configs. */
export function needsConfigToDecouple({ plug, socket }: { readonly plug: Plug; readonly socket?: Socket }): boolean {
  return [plug, socket].some(
    (object) =>
      object?.spec.apparatus !== undefined ||
      object?.spec.resources?.some(({ when = [] }) => when.includes("decoupled")) === true,
  );
}

export const noConfig: ResolvedMap = new Map();

export function belongingOf(object: Plug | Socket, pair: Partial<Pair>): Belonging {
  const side = sideOf(object);
  const { name, uid = "" } = object.metadata;
  return {
    side,
    owner: { kind: kindOfSide[side], namespace: namespaceOf(object), name, uid },
    plugUid: side === "plug" ? uid : pair.plug?.metadata.uid,
    socketUid: side === "socket" ? uid : pair.socket?.metadata.uid,
  };
}
