import { describeError, InputError } from "#base";
import { ApiError, describeRef, keyOf, type KubeClient } from "#kube";
import { Plug, requestedSocket, Socket } from "../kinds/index.ts";
import { conditionOf } from "../lifecycle/unparsed-objects.ts";
import { type ExplainedMap, explainValues } from "../sources/explain-values.ts";
import { examineInputs, resolveResults } from "../sources/resolve-values.ts";
import { advisePlug, describeWait, readCoupledState, roleFor } from "./coupled-state.ts";
import { sideReaders } from "./side-readers.ts";

interface CoupledPair {
  readonly plug: Plug;
  readonly socket: Socket;
}

/** What plug and socket exchange, where each value comes from, and what the plug waits for. */
export interface PlugExplanation {
  readonly plug: string;
  readonly socket: string;
  readonly state: string;
  readonly waitsFor?: string;
  readonly next?: string;
  /** The Role that is missing, as YAML for `kubectl apply -f -`. */
  readonly role?: string;
  /** Where the binding is mounted, or why not yet. */
  readonly binding?: string;
  /** Why the values cannot be used. */
  readonly problems: readonly string[];
  readonly maps: readonly ExplainedMap[];
}

/** Explains a plug with what the client may read. Secrets are masked. `tenon` is how to call Tenon. */
export async function explainPlug(
  key: { readonly namespace: string; readonly name: string },
  client: KubeClient,
  tenon: string,
  signal: AbortSignal,
): Promise<PlugExplanation> {
  const pair = await findPair(key, client, signal);
  return await explainPair(pair, client, tenon, signal).catch((error: unknown) => deniedOf(error, pair));
}

async function explainPair(
  pair: CoupledPair,
  client: KubeClient,
  tenon: string,
  signal: AbortSignal,
): Promise<PlugExplanation> {
  const { plug, socket } = pair;
  const reader = sideReaders(pair, client);
  const inputs = await examineInputs(plug, socket, reader, {}, signal);
  const results = await resolveResults(plug, socket, inputs, reader, {}, signal).catch((error: unknown) => ({
    waiting: describeError(error),
  }));
  const isAnswered = plug.status?.pairing?.answered !== undefined;
  const state = readCoupledState(plug);
  const [waitsFor, next] = [describeWait(state), advisePlug(state, tenon)];
  const binding = conditionOf(plug, "Projected")?.["message"];
  const ofApparatus = [plug, socket].filter(({ spec }) => spec.apparatus !== undefined).map(({ kind }) => kind);
  return {
    plug: keyOf(plug),
    socket: keyOf(socket),
    state: state.state,
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(next === undefined ? {} : { next }),
    ...(state.role === undefined ? {} : { role: state.role }),
    ...(typeof binding === "string" ? { binding } : {}),
    problems: [
      ...inputs.problems,
      ...inputs.unanswered.map((problem) => `unless its apparatus provides it: ${problem}`),
      ...("waiting" in results
        ? [`results${isAnswered ? ", unless its apparatus has provided them" : ""}: ${results.waiting}`]
        : []),
      ...ofApparatus.map((kind) => `the apparatus of the ${kind} is not called, so its values are unknown`),
    ],
    maps: explainValues(inputs, "waiting" in results ? undefined : results),
  };
}

/** A service account may not read a source: the values are unknown, and its Role is what the user needs. */
function deniedOf(error: unknown, { plug, socket }: CoupledPair): PlugExplanation {
  const isDenied = error instanceof ApiError && error.isForbidden && !error.message.includes(" cannot impersonate ");
  const role = isDenied ? roleFor(error.message) : undefined;
  if (role === undefined) throw error;
  const [problem = ""] = describeError(error).split("; to allow it, apply this");
  const { state } = readCoupledState(plug);
  return { plug: keyOf(plug), socket: keyOf(socket), state, role, problems: [problem], maps: [] };
}

/** A plug of the cluster and the socket that it names. */
async function findPair(
  key: { readonly namespace: string; readonly name: string },
  client: KubeClient,
  signal: AbortSignal,
): Promise<CoupledPair> {
  const plugRef = { apiVersion: Plug.apiVersion, kind: Plug.kind, ...key };
  const foundPlug = await client.find(plugRef, signal);
  if (!foundPlug) {
    throw new InputError(`${describeRef(plugRef)} not found`, {
      next: "`tenon get plugs --all-namespaces` lists all",
    });
  }
  const plug = Plug.parse(foundPlug);
  const requested = requestedSocket(plug);
  if (!requested) throw new InputError(`${describeRef(plugRef)} names no socket`, { next: "set spec.socket.name" });
  const socketRef = { apiVersion: Socket.apiVersion, kind: Socket.kind, ...requested };
  const foundSocket = await client.find(socketRef, signal);
  if (foundSocket) return { plug, socket: Socket.parse(foundSocket) };
  throw new InputError(`${describeRef(socketRef)} not found, so no values are exchanged yet`, {
    where: describeRef(plugRef),
    next: "create the socket, or correct spec.socket; `tenon get sockets --all-namespaces` lists all",
  });
}
