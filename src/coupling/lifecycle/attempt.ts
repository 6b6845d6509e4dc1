import type { Side, Stage } from "../kinds/names.ts";
import { kindOfSide, namespaceOf, type Pair, sideOf } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import type { Belonging } from "../resources/mark-object.ts";
import { placeActions, type PlacingOptions } from "../resources/place-actions.ts";
import { renderResources, renderResultResources } from "../resources/render-resources.ts";
import type { RenderedAction } from "../resources/rendered.ts";
import type { ResolvedInputs, ResolvedMap, ResolvedResults } from "../sources/resolved.ts";
import { ownData, resultData, stageData } from "../sources/template-data.ts";

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
      foreign: foreignTexts(sideOf(object), pair, configs),
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
    const foreign = foreignTexts(belonging.side, pair, { plugConfig, socketConfig, plugResult, socketResult });
    return renderResultResources(object.spec.resultResources ?? [], { belonging, data, foreign });
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

/** What the other side gave, as templates name it. */
function foreignTexts(own: Side, pair: Pair, maps: Readonly<Record<string, ResolvedMap>>): ReadonlyMap<string, string> {
  const other = own === "plug" ? "socket" : "plug";
  const { metadata, spec } = pair[other];
  const { config, data, result, epoch = "", suspendReason = "" } = spec;
  const written = { annotations: metadata.annotations, config, data, result, other: { epoch, suspendReason } };
  return new Map([
    ...Object.entries(written).flatMap(([name, texts = {}]) =>
      Object.entries(texts).map(([key, value]) => [`${other} ${name}.${key}`, value] as const),
    ),
    ...Object.entries(maps)
      .filter(([name]) => name.startsWith(other))
      .flatMap(([name, map]) => [...map].map(([key, { value }]) => [`${name}.${key}`, value] as const)),
  ]);
}
