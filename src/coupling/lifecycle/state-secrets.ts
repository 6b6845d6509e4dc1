import { isJsonObject, isRecord, type JsonValue } from "#base";
import { describeRef, type KubeObject } from "#kube";
import {
  type ConfigAnswer,
  isSameResult,
  type StageResult,
  toStageResult,
} from "../apparatus/calls/apparatus-answers.ts";
import {
  describeObject,
  namespaceOf,
  type Pair,
  type Plug,
  type Side,
  sides,
  type SocketName,
  stateSecretType,
} from "../kinds/index.ts";
import { type AnsweredResults, resolved, type ResolvedMap } from "../sources/resolved.ts";
import { hiddenKeys } from "../sources/visible-values.ts";
import type { CouplingAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import type { Configs } from "./prepare-stage.ts";
import {
  deletePromised,
  encodeSecretText,
  isPromisedTo,
  isPromiseUntouched,
  type PromiseDeps,
  promisedSecret,
  type SessionOfPair,
  writePromised,
} from "./promised-secret.ts";

/** Each config is stored in the namespace of its own side, where its readers may read the sources anyway. */
function stateRef(plug: Plug, socket: SocketName, side: Side) {
  const { name, uid = "" } = plug.metadata;
  const place =
    side === "plug"
      ? { namespace: namespaceOf(plug), name: `${name}-integration` }
      : { namespace: socket.namespace, name: `${socket.name}-integration-${uid.slice(0, 8)}` };
  return { apiVersion: "v1", kind: "Secret", ...place };
}

/** The stored state of a side. */
interface SideState {
  readonly config: ResolvedMap;
  /** The apparatus' answer to `/config`. */
  readonly answered?: ConfigAnswer | undefined;
  /** The apparatus' answer to the stage. */
  readonly result: StageResult;
  /** The keys of the config that are not for the plug. The socket, which says so, may be deleted first. */
  readonly hidden?: ReadonlySet<string>;
}

/** Stores what decoupling needs when the inputs may be deleted, and the answers of apparatuses. */
async function saveState(
  { pair: { plug, socket }, session }: SessionOfPair,
  side: Side,
  { config, answered, result }: SideState,
  { isKnown }: { readonly isKnown: boolean },
  deps: PromiseDeps,
  signal: AbortSignal,
): Promise<void> {
  const owner = side === "plug" ? plug : socket;
  const place = { namespace: namespaceOf(socket), name: socket.metadata.name };
  const ref = stateRef(plug, place, side);
  const texts = Object.fromEntries([...result].map(([key, value]) => [key, value.reveal()]));
  const hidden = side === "socket" ? [...hiddenKeys(socket)] : [];
  const text = JSON.stringify({
    config: [...config].map(([key, { value, isSecret, source }]) => [key, value, isSecret, source]),
    ...(hidden.length === 0 ? {} : { hidden }),
    answered,
    ...(result.size === 0 ? {} : { result: texts }),
  });
  const data = { state: encodeSecretText(text), seal: encodeSecretText(sealOf({ ...place, side }, plug, text, deps)) };
  session.notePromised(
    await writePromised(promisedSecret(ref, owner, plug, { type: stateSecretType, data }), isKnown, deps, signal),
  );
}

/** Undefined if none was stored, or it was deleted or changed: a changed one would bypass the interface. */
export async function recallState(
  { plug, socket }: Pair,
  side: Side,
  deps: PromiseDeps,
  signal: AbortSignal,
): Promise<SideState | undefined> {
  const place = { namespace: namespaceOf(socket), name: socket.metadata.name };
  const found = await deps.client.find(stateRef(plug, place, side), signal);
  return found && unsealed(found, { plug, socket }, side, deps);
}

function unsealed(found: KubeObject, { plug, socket }: Pair, side: Side, deps: PromiseDeps): SideState | undefined {
  if (!isPromisedTo(found, plug)) return undefined;
  const place = { namespace: namespaceOf(socket), name: socket.metadata.name };
  const [text = "", seal] = [decode(found["data"], "state"), decode(found["data"], "seal")];
  return seal === sealOf({ ...place, side }, plug, text, deps) ? readState(JSON.parse(text)) : undefined;
}

/** Puts back the stored states of a coupled plug that were deleted or changed. */
export async function repairStates(
  { pair, session }: SessionOfPair,
  configs: Configs,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const place = { namespace: namespaceOf(pair.socket), name: pair.socket.metadata.name };
  for (const side of sides) {
    const ref = stateRef(pair.plug, place, side);
    if (isPromiseUntouched(ref, session, deps)) continue;
    const found = await deps.client.find(ref, signal);
    if (found && unsealed(found, pair, side, deps)) {
      session.notePromised(found);
      continue;
    }
    const config = side === "plug" ? configs.plugConfig : configs.socketConfig;
    // An answer that is only in a deleted Secret is lost, and the plug waits for it.
    const state = { config, result: session.results.get(side) ?? none, answered: session.answers.last(side) };
    await saveState({ pair, session }, side, state, { isKnown: true }, deps, signal);
  }
}

/** An HMAC with the key of the installation; valid for this plug, this socket and this side. */
function sealOf(
  { namespace, name, side }: SocketName & { readonly side: Side },
  { metadata: { uid } }: Plug,
  text: string,
  { fingerprint }: PromiseDeps,
): string {
  return fingerprint.ofParts(["state", uid, namespace, name, side, text]);
}

function decode(data: unknown, key: string): string | undefined {
  const text = isRecord(data) ? data[key] : undefined;
  return typeof text === "string" ? Buffer.from(text, "base64").toString("utf8") : undefined;
}

/** Whether a config is stored for a socket, whatever the plug's status says. */
export function isStateKept(plug: Plug, socket: SocketName, { cluster: { metadataStores } }: PromiseDeps): boolean {
  const { namespace, name } = stateRef(plug, socket, "socket");
  return metadataStores.Secret.get(`${namespace}/${name}`) !== undefined;
}

export async function deleteState(
  plug: Plug,
  socket: SocketName,
  deps: PromiseDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const side of ["plug", "socket"] as const)
    await deletePromised(stateRef(plug, socket, side), plug, deps, signal);
}

function readState(kept: JsonValue): SideState | undefined {
  if (!isJsonObject(kept) || !Array.isArray(kept["config"])) return undefined;
  const config = kept["config"].flatMap((entry) => {
    const [key, value, isSecret, source]: unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof key !== "string" || typeof value !== "string") return [];
    // The source tells which side a value is from; without one, it may be from either.
    const from = typeof source === "string" ? source : "the last coupling";
    return [[key, resolved({ value, isSecret: isSecret === true }, from)] as const];
  });
  const { question, answer } = isJsonObject(kept["answered"]) ? kept["answered"] : {};
  const hidden = Array.isArray(kept["hidden"]) ? kept["hidden"].filter((key) => typeof key === "string") : [];
  return {
    config: new Map(config),
    hidden: new Set(hidden),
    result: toStageResult(isJsonObject(kept["result"]) ? kept["result"] : {}),
    ...(typeof question === "string" && isJsonObject(answer) ? { answered: { question, answer } } : {}),
  };
}

/** A state as the plug's side may see it. */
export function withoutHidden(state: SideState): SideState {
  const { config, hidden } = state;
  return { ...state, config: new Map([...config].filter(([key]) => hidden?.has(key) !== true)) };
}

const none: StageResult = new Map();

/** The last result of a side's apparatus, which a refusal may repeat; empty if there is none. */
async function lastResult(
  { pair, session }: SessionOfPair,
  side: Side,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<StageResult> {
  const { results: known, secrets: held } = session;
  if (pair[side].spec.apparatus === undefined) {
    known.delete(side); // an apparatus that is added later starts without it
    return none;
  }
  const last = known.get(side);
  if (last) {
    held.hold(last.values());
    return last;
  }
  const state = pair.plug.status?.pairing?.hasState ? await recallState(pair, side, deps, signal) : undefined;
  const result = state?.result ?? none;
  known.set(side, result);
  held.hold(result.values());
  return result;
}

/** Stores the configs of both sides, with the last results of their apparatuses. */
export async function keepConfigs(
  { pair, session }: SessionOfPair,
  { plugConfig, socketConfig }: Configs,
  known: { readonly isKnown: boolean },
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const keep = async (side: Side, config: ResolvedMap): Promise<void> => {
    const result = await lastResult({ pair, session }, side, deps, signal);
    await saveState(
      { pair, session },
      side,
      { config, result, answered: session.answers.last(side) },
      known,
      deps,
      signal,
    );
  };
  await Promise.all([keep("plug", plugConfig), keep("socket", socketConfig)]);
}

/**
 * Stores the result of a side's apparatus before the rest of its half can fail: the apparatus may not be able to repeat it. An
 * answer without a result keeps the last one; an empty result replaces it.
 */
export async function saveAnswer(
  { pair, session, memory }: Pick<CouplingAttempt, "pair" | "session" | "memory">,
  side: Side,
  { config, result: answered }: { readonly config: ResolvedMap; readonly result: StageResult | undefined },
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const before = await lastResult({ pair, session }, side, deps, signal);
  const result = answered ?? before;
  session.secrets.hold(result.values());
  if (!isSameResult(result, before)) {
    // In memory first: if the write fails, the next attempt writes it with the config.
    session.results.set(side, result);
    await saveState(
      { pair, session },
      side,
      { config, result, answered: session.answers.last(side) },
      { isKnown: true },
      deps,
      signal,
    );
  }
  memory.noteAnswered(side, result.size > 0);
}

/**
 * The stored results of apparatuses, masked as secrets. If a Secret was deleted or changed, the plug waits: to continue without
 * the result would remove it from the applications that use it.
 */
export async function recallAnswered(
  { pair, session, memory }: Pick<CouplingAttempt, "pair" | "session" | "memory">,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<AnsweredResults | { readonly waiting: string }> {
  const found: Partial<Record<Side, StageResult>> = {};
  for (const side of memory.pairing?.answered ?? []) {
    const result = await lastResult({ pair, session }, side, deps, signal);
    if (result.size === 0) {
      session.results.delete(side); // the Secret may be restored
      const { namespace, name } = { ...pair.socket.metadata, namespace: namespaceOf(pair.socket) };
      const ref = describeRef(stateRef(pair.plug, { namespace, name }, side));
      const whose = `the answer of the apparatus of ${describeObject(pair[side])}`;
      return { waiting: `${whose} is no longer in ${ref}; change spec.epoch of the plug to call it again` };
    }
    session.secrets.hold(result.values());
    found[side] = result;
  }
  return found;
}
