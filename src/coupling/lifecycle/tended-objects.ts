import { InputError } from "#base";
import { type Pair, type Plug, type Socket, type Stage, type StageResource, stagesOf } from "../kinds/index.ts";
import { entryKey, entryOf } from "../resources/inventory-entries.ts";
import type { RenderedAction } from "../resources/render-resources.ts";
import type { ResolvedInputs, ResolvedMap, ResolvedResults } from "../sources/resolved.ts";
import { stableOf, stillPlug, stillSocket } from "../sources/template-data.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { prepareAll, prepareOwnStage } from "./prepare-stage.ts";
import { placingOf } from "./side-actions.ts";

/** An object that was made, and is looked after from then on. */
export interface TendedObject {
  readonly action: RenderedAction;
  readonly owner: Plug | Socket;
  readonly pair: Partial<Pair>;
  /** False: each rendering differs, so that only its absence can be noticed. */
  readonly isStable: boolean;
}

function isTended({ repair, waitFor }: Pick<StageResource, "repair" | "waitFor">): boolean {
  return repair === true || waitFor !== undefined;
}

function isOwnTended(resource: StageResource): boolean {
  return isTended(resource) && !stagesOf(resource).some((stage) => stage === "coupled" || stage === "updated");
}

/** The objects of `created` that no later stage renders: only these are as `created` made them. */
export async function ownTended(
  owner: Plug | Socket,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<readonly TendedObject[]> {
  if (!owner.spec.resources?.some(isOwnTended)) return [];
  const options = { ...placingOf(deps), only: isOwnTended };
  const prepare = (object: Plug | Socket) => prepareOwnStage(object, "created", options, signal);
  const actions = await prepare(owner);
  const still = owner.kind === "Plug" ? stillPlug(owner) : stillSocket(owner);
  const isStable = comparedWith(await unlessInvalid(prepare(still)));
  return actions.map((action) => ({ action, owner, pair: {}, isStable: isStable(action) }));
}

/** The objects of the pairing: of its stage, and of its results as far as they are known. */
export async function pairingTended(
  pair: Pair,
  stage: Stage,
  inputs: ResolvedInputs,
  results: ResolvedResults | undefined,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<readonly TendedObject[]> {
  const wants = ({ spec: { resources = [], resultResources = [] } }: Plug | Socket): boolean =>
    [...resources, ...resultResources].some(isTended);
  if (!wants(pair.plug) && !wants(pair.socket)) return [];
  const options = { ...placingOf(deps), only: isTended };
  const prepare = async (of: Pair, select: (map: ResolvedMap) => ResolvedMap): Promise<readonly RenderedAction[]> => {
    const configs = { plugConfig: select(inputs.plugConfig), socketConfig: select(inputs.socketConfig) };
    const known = results && { plugResult: select(results.plugResult), socketResult: select(results.socketResult) };
    return await prepareAll(of, stage, configs, known, options, signal);
  };
  const actions = await prepare(pair, (map) => map);
  const stillPair = { plug: stillPlug(pair.plug), socket: stillSocket(pair.socket) };
  const isStable = comparedWith(await unlessInvalid(prepare(stillPair, stableOf)));
  return actions.map((action) => ({ action, owner: pair[action.side], pair, isStable: isStable(action) }));
}

/** Whether an object is the same without what changes by itself; undefined: without it, the templates cannot be rendered. */
function comparedWith(still: readonly RenderedAction[] | undefined): (action: RenderedAction) => boolean {
  const texts = new Map(still?.map((action) => [entryKey(entryOf(action)), JSON.stringify(action.object)]));
  return (action) => texts.get(entryKey(entryOf(action))) === JSON.stringify(action.object);
}

async function unlessInvalid<Value>(rendering: Promise<Value>): Promise<Value | undefined> {
  try {
    return await rendering;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
