import { InputError } from "#base";
import type { Discovery } from "#kube";
import type { IsAuthorData } from "../guard/untrusted-actions.ts";
import {
  kindOfSide,
  namespaceOf,
  type Pair,
  type Plug,
  type Side,
  sideOf,
  type Socket,
  type Stage,
  type StageResource,
} from "../kinds/index.ts";
import type { ObjectOrigin } from "../resources/mark-object.ts";
import { type RenderedAction, renderResources, renderResultResources } from "../resources/render-resources.ts";
import type { ResolvedInputs, ResolvedMap, ResolvedResults } from "../sources/resolved.ts";
import { ownData, resultData, stageData } from "../sources/template-data.ts";

/** What a stage will do, decided before it changes anything. */
export interface PreparedStage {
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
): Promise<PreparedStage> {
  const configs = { plugConfig, socketConfig };
  const data = stageData(pair, configs);
  const prepare = (object: Plug | Socket): RenderedAction[] =>
    renderResources(object.spec.resources ?? [], stage, {
      origin: objectOrigin(object, pair),
      data: data[sideOf(object)],
      isOwn: ownBy(sideOf(object), configs),
      only: options.only,
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
    origin: objectOrigin(object, {}),
    data: ownData(object),
    isOwn: undefined,
    only: options.only,
  });
  return placeActions(actions, options, signal);
}

/** The result resources: the socket's first, then the plug's. */
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
    const origin = objectOrigin(object, pair);
    const data = resultData(pair, origin.side, { plugConfig, socketConfig, plugResult, socketResult });
    const isOwn = ownBy(origin.side, { plugConfig, socketConfig, plugResult, socketResult });
    return renderResultResources(object.spec.resultResources ?? [], { origin, data, isOwn, only: options.only });
  });
  return placeActions(actions, options, signal);
}

/** All actions of a stage, and of the results as far as they are known. */
export async function prepareAll(
  pair: Pair,
  stage: Stage,
  configs: Configs,
  results: Pick<ResolvedResults, "plugResult" | "socketResult"> | undefined,
  options: PlacingOptions,
  signal: AbortSignal,
): Promise<readonly RenderedAction[]> {
  const { plug, socket } = await prepareStage(pair, stage, configs, options, signal);
  const ofResults = results ? await prepareResults(pair, configs, results, options, signal) : [];
  return [...plug, ...socket, ...ofResults];
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

export function objectOrigin(object: Plug | Socket, pair: Partial<Pair>): ObjectOrigin {
  const side = sideOf(object);
  const { name, uid = "" } = object.metadata;
  return {
    side,
    owner: { kind: kindOfSide[side], namespace: namespaceOf(object), name, uid },
    plugUid: side === "plug" ? uid : pair.plug?.metadata.uid,
    socketUid: side === "socket" ? uid : pair.socket?.metadata.uid,
  };
}

/** Without the status, which other writers may change. */
const writtenParts = new Set(["apiVersion", "kind", "metadata", "spec"]);
const writtenSource = /^(?:config|result)(?:$|\w+Name )/;

/**
 * Which data a side wrote itself: its object, and the values of its spec, Secrets and ConfigMaps. Values of its templates and its
 * apparatus may be derived from values of the other side.
 */
export function ownBy(side: Side, maps: Readonly<Record<string, ResolvedMap>>): IsAuthorData {
  const config = computedKeys(side, maps[`${side}Config`]);
  const result = computedKeys(side, maps[`${side}Result`]);
  const computed = new Map([
    [`${side}Config`, config],
    [`${side}Result`, result],
    ["result", result],
  ]);
  return ([root = "", key]) => {
    if (root === side) return key !== undefined && writtenParts.has(key);
    const keys = computed.get(root);
    return keys !== undefined && (key === undefined ? keys.size === 0 : !keys.has(key));
  };
}

function computedKeys(side: Side, map: ResolvedMap = new Map()): ReadonlySet<string> {
  return new Set([...map].filter(([, { source }]) => !isWritten(side, source)).map(([key]) => key));
}

/** The values that a side wrote itself, by key, which are the same for each of its pairings. */
export function writtenBy(side: Side, map: ResolvedMap): readonly (readonly [string, string])[] {
  return [...map]
    .filter(([, { source, isUnstable }]) => isWritten(side, source) && !isUnstable)
    .map(([key, { value }]) => [key, value] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Defaults belong to the socket, whichever side they are for. */
function isWritten(side: Side, source: string): boolean {
  return writtenSource.test(source) || (source === "default" && side === "socket");
}

export interface PlacingOptions {
  readonly discovery: Pick<Discovery, "find">;
  readonly allowClusterScoped: boolean;
  /** Which resources to prepare; default: all. */
  readonly only?: (resource: StageResource) => boolean;
}

/**
 * Looks up the kinds of all actions before any of them runs: an unknown kind is an error, and so is a cluster-scoped one, unless
 * these are allowed.
 */
async function placeActions(
  actions: readonly RenderedAction[],
  { discovery, allowClusterScoped }: PlacingOptions,
  signal: AbortSignal,
): Promise<RenderedAction[]> {
  const placed: RenderedAction[] = [];
  for (const action of actions) {
    const { kind, apiVersion } = action.object;
    const { isNamespaced } = await discovery.find({ apiVersion, kind }, signal).catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      const { what, next } = error;
      throw new InputError(what, { where: action.field, ...(next === undefined ? {} : { next }), cause: error });
    });
    if (!isNamespaced && !allowClusterScoped) {
      throw new InputError(`kind ${kind} is cluster-scoped`, {
        where: action.field,
        next: "render only namespaced objects, or run the operator with --allow-cluster-scoped",
      });
    }
    placed.push(isNamespaced ? action : withoutNamespace(action));
  }
  return placed;
}

function withoutNamespace({ object, ...action }: RenderedAction): RenderedAction {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...action, object: { ...object, metadata } };
}
