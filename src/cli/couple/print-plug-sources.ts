import { z } from "zod";
import { describeError, InputError } from "#base";
import {
  examineInputs,
  type ExplainedMap,
  explainValues,
  Plug,
  resolveResults,
  Socket,
  requestedSocket,
} from "#coupling";
import { ApiError, describeRef, keyOf, type KubeClient } from "#kube";
import { outputFormats } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printRows, printDocument } from "../terminal/print-rows.ts";
import { advisePlug, readCoupledState, describeWait, roleFor } from "./coupled-state.ts";
import { parseObjectKey } from "./object-name.ts";
import { sideReaders } from "./side-readers.ts";
import { requireCoupledKinds, withClient } from "./with-client.ts";

const Choice = z.object({
  output: z.enum(outputFormats),
  context: z.string().exactOptional(),
  kubeconfig: z.string().exactOptional(),
});

interface Explanation {
  readonly plug: string;
  readonly socket: string;
  readonly state: string;
  readonly waitsFor?: string;
  readonly next?: string;
  /** The Role that is missing, as YAML for `kubectl apply -f -`. */
  readonly role?: string;
  /** Why the values cannot be used. */
  readonly problems: readonly string[];
  readonly maps: readonly ExplainedMap[];
}

/** `tenon explain plug/NAMESPACE/NAME`: prints where each value that plug and socket exchange comes from. */
export async function printPlugSources(name: string, options: unknown, shell: Shell): Promise<void> {
  const choice = Choice.parse(options);
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal);
    const pair = await findPair(parseObjectKey(name, ownNamespace), client, shell.signal);
    const explanation = await explainPair(pair, client, shell).catch((error: unknown) => deniedOf(error, pair));
    if (choice.output === "json" || choice.output === "yaml") await printDocument(explanation, choice.output, shell);
    else await printExplanation(explanation, choice.output, shell);
  });
}

async function explainPair(
  pair: { readonly plug: Plug; readonly socket: Socket },
  client: KubeClient,
  shell: Shell,
): Promise<Explanation> {
  const { plug, socket } = pair;
  const reader = sideReaders(pair, client);
  const inputs = await examineInputs(plug, socket, reader, {}, shell.signal);
  const results = await resolveResults(plug, socket, inputs, reader, {}, shell.signal).catch((error: unknown) => ({
    waiting: describeError(error),
  }));
  const isAnswered = plug.status?.pairing?.answered !== undefined;
  const state = readCoupledState(plug);
  const [waitsFor, next] = [describeWait(state), advisePlug(state, shell.env)];
  const ofApparatus = [plug, socket].filter(({ spec }) => spec.apparatus !== undefined).map(({ kind }) => kind);
  return {
    plug: keyOf(plug),
    socket: keyOf(socket),
    state: state.state,
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(next === undefined ? {} : { next }),
    ...(state.role === undefined ? {} : { role: state.role }),
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
function deniedOf(error: unknown, { plug, socket }: { readonly plug: Plug; readonly socket: Socket }): Explanation {
  const isDenied = error instanceof ApiError && error.isForbidden && !error.message.includes(" cannot impersonate ");
  const role = isDenied ? roleFor(error.message) : undefined;
  if (role === undefined) throw error;
  const [problem = ""] = describeError(error).split("; to allow it, apply this");
  const { state } = readCoupledState(plug);
  return { plug: keyOf(plug), socket: keyOf(socket), state, role, problems: [problem], maps: [] };
}

interface Row {
  readonly map: string;
  readonly key: string;
  readonly value: string;
  readonly source: string;
  readonly overrode: string;
}

async function printExplanation(
  { plug, socket, state, waitsFor, next, role, problems, maps }: Explanation,
  output: "table" | "markdown",
  shell: Shell,
): Promise<void> {
  const rows = maps.flatMap(({ name, keys, dropped }): Row[] => [
    ...keys.map(({ key, value, source, overrode, isUnstable }) => {
      return {
        map: name,
        key,
        value,
        source: `${source}${isUnstable ? " (new each time)" : ""}`,
        overrode: overrode.join(", "),
      };
    }),
    ...dropped.map(({ key, source }) => ({
      map: name,
      key,
      value: "(dropped: not in the interface)",
      source,
      overrode: "",
    })),
  ]);
  const columns = (["map", "key", "value", "source", "overrode"] as const).map((header) => {
    return { header, value: (row: Row) => row[header] };
  });
  shell.stderr.write(`Plug ${plug} on Socket ${socket}: ${state}${waitsFor === undefined ? "" : `, ${waitsFor}`}\n`);
  if (next !== undefined) shell.stderr.write(`  next: ${next}\n`);
  await printRows({ rows, columns, whenEmpty: "they exchange no values" }, output, shell);
  for (const problem of problems) shell.stderr.write(`problem: ${problem}\n`);
  if (role !== undefined) shell.stderr.write(`\nThis Role allows it; apply it with kubectl apply -f -:\n\n${role}\n`);
}

/** A plug of the cluster and the socket that it names. */
async function findPair(
  key: { readonly namespace: string; readonly name: string },
  client: KubeClient,
  signal: AbortSignal,
): Promise<{ readonly plug: Plug; readonly socket: Socket }> {
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
