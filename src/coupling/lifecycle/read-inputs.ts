import { type HeldSecrets, isRecord, LeastRecentlyUsed, Secret, Semaphore } from "#base";
import type { Identity, KubeClient, KubeObject } from "#kube";
import { identityOf, namespaceOf, type Pair, type Side } from "../kinds/index.ts";
import { listResultSources, listSources } from "../sources/read-sources.ts";
import { resolveInputs } from "../sources/resolve-values.ts";
import type { ResolvedInputs, ResolvedMap, SourceReader } from "../sources/resolved.ts";
import type { CouplingAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import type { PlugSession } from "./plug-session.ts";
import { clientOf } from "./side-actions.ts";
import { recallState } from "./state-secrets.ts";

/** By the namespace of the plugs. */
export type ReadSlots = LeastRecentlyUsed<string, Semaphore>;

interface ReaderDeps {
  readonly client: { impersonate(identity: Identity): Pick<KubeClient, "find"> };
  readonly inputs: { readonly slots: ReadSlots };
}

/** One plug may read thousands of objects, and all tenants share the connections to the API server. */
const readsAtOnce = 8;
const keptLines = 1000;

export function createReadSlots(): ReadSlots {
  return new LeastRecentlyUsed(keptLines);
}

/** Reads all inputs, and from now on wakes the plug when one of them changes. */
export async function readInputs(
  { pair, session }: CouplingAttempt,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<ResolvedInputs> {
  const { plug, socket } = pair;
  followInputs({ pair, session }, deps);
  return await resolveConfigs({ plug, socket }, session, deps, signal);
}

/** From now on, changes of the inputs and of the objects that are looked after wake the plug. */
export function followInputs(
  { pair, session }: Pick<CouplingAttempt, "pair" | "session">,
  { client, inputs }: Pick<CouplingDeps, "client" | "inputs">,
): void {
  const { care, projection } = session;
  const refs = [...listSources(pair), ...listResultSources(pair), ...care.followed, ...projection.followed];
  inputs.watches.follow(session.key, refs, ({ side }) => ({
    user: identityOf(pair[side]).user,
    client: clientOf(pair[side], { client }),
  }));
}

/** Resolves all current inputs, and masks their secrets from now on. */
export async function resolveConfigs(
  pair: Pair,
  session: PlugSession,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<ResolvedInputs> {
  const reader = (side: "plug" | "socket") => sourceReader(pair, side, session.secrets, deps);
  const inputs = await resolveInputs(
    pair.plug,
    pair.socket,
    reader,
    { config: configHook(pair, session, deps) },
    signal,
  );
  for (const map of [inputs.plugConfig, inputs.socketConfig]) holdValues(map, session.secrets);
  return inputs;
}

/** Asks once for each attempt, and not again while the question is the same and nothing has failed. */
function configHook(
  pair: Pair,
  session: PlugSession,
  deps: CouplingDeps,
): NonNullable<Parameters<typeof resolveInputs>[3]["config"]> {
  return async (side, { plug, socket, plugData, socketData, vars }, signal) => {
    const object = pair[side];
    if (object.spec.apparatus === undefined) return undefined;
    const objects = [pair.plug, pair.socket].map(({ metadata }) => [metadata.uid, metadata.generation]);
    const question = deps.fingerprint.ofParts([side, ...objects, plugData, socketData, vars]);
    const recall = async () => {
      const last = pair.plug.status?.pairing?.hasState ? await recallState(pair, side, deps, signal) : undefined;
      return last?.answered?.question === question ? last.answered.answer : undefined;
    };
    const known = await session.answers.find(side, question, recall);
    if (known) return known;
    const data = { plugData: { ...plugData }, socketData: { ...socketData } };
    const body = { version: 1, plug, socket, ...data, ...(object.spec.vars?.length ? { vars: { ...vars } } : {}) };
    const id = deps.fingerprint.ofParts([question, session.answers.round]);
    const waiter = session.waiter(pair.plug);
    const answer = await deps.apparatus.config({ side, object, body, id, waiter }, signal);
    if (answer) session.answers.keep(side, { question, answer });
    return answer;
  };
}

/** Reads sources as the service account of their side, a few at once for all plugs of the plug's namespace. */
export function sourceReader(pair: Pair, side: Side, held: HeldSecrets, { client, inputs }: ReaderDeps): SourceReader {
  const acting = client.impersonate(identityOf(pair[side]));
  const line = inputs.slots.get(namespaceOf(pair.plug), () => new Semaphore(readsAtOnce));
  return {
    read: async (ref, signal) => {
      const found = await line.run(() => acting.find(ref, signal), signal);
      if (found?.kind === "Secret") holdSecret(found, held);
      return found;
    },
    hold: (values) => holdValues(values, held),
  };
}

export function holdValues(map: ResolvedMap, held: HeldSecrets): void {
  held.hold([...map.values()].flatMap(({ masked }) => masked ?? []));
}

function holdSecret({ data }: KubeObject, held: HeldSecrets): void {
  if (!isRecord(data)) return;
  const texts = Object.values(data).filter((value) => typeof value === "string");
  held.hold(texts.map((text) => new Secret(Buffer.from(text, "base64").toString("utf8"))));
}
