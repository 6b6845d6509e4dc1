import { compareText, InputError, systemClock } from "#base";
import { Plug, Socket } from "#coupling";
import { describeRef, type KubeClient, type KubeObject, keyOf } from "#kube";
import type { ClusterChoice } from "../cluster-options.ts";
import type { OutputFormat } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import type { Colour } from "../terminal/paint.ts";
import { printRows } from "../terminal/print.ts";
import type { Column } from "../terminal/table.ts";
import { advisePlug, adviseSocket } from "./advise.ts";
import { describeAge } from "./age.ts";
import { type CoupledState, readState } from "./coupled-state.ts";
import { readKey } from "./object-name.ts";
import { numberOf, recordOf } from "./unknown-value.ts";
import { requireKinds, withClient } from "./with-client.ts";

export interface GetChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly output: OutputFormat;
}

interface Row {
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly since?: string;
  readonly waitsFor?: string;
  readonly next?: string;
  readonly attempts?: number;
  readonly retryAt?: string;
}

interface PlugRow extends Row {
  readonly socket?: string;
}

interface SocketRow extends Row {
  readonly plugs: number;
  /** How many it takes; absent where it takes all. */
  readonly limit?: number;
}

/** `tenon get plugs` */
export async function getPlugs(name: string | undefined, choice: GetChoice, shell: Shell): Promise<void> {
  const found = await findObjects("Plug", name, choice, shell);
  const rows = found.map((object): PlugRow => {
    const state = readState(object);
    const { target, leaves } = state;
    const socket = leaves === undefined || target === undefined ? (target ?? leaves) : `${leaves} -> ${target}`;
    return rowOf(state, advisePlug(state, shell.env), socket === undefined ? {} : { socket });
  });
  const columns = columnsOf<PlugRow>([{ header: "socket", value: ({ socket }) => socket }]);
  await printRows({ rows, columns, whenEmpty: `there are no plugs${inNamespace(choice)}` }, choice.output, shell);
}

/** `tenon get sockets` */
export async function getSockets(name: string | undefined, choice: GetChoice, shell: Shell): Promise<void> {
  const found = await findObjects("Socket", name, choice, shell);
  const rows = found.map((object): SocketRow => {
    const state = readState(object);
    const limit = numberOf(recordOf(object["spec"])["limit"]);
    const plugs = numberOf(recordOf(object["status"])["coupledPlugsCount"]) ?? 0;
    return rowOf(state, adviseSocket(state, shell.env), { plugs, ...(limit ? { limit } : {}) });
  });
  const columns = columnsOf<SocketRow>([
    { header: "plugs", value: ({ plugs, limit }) => (limit === undefined ? plugs : `${plugs}/${limit}`) },
  ]);
  await printRows({ rows, columns, whenEmpty: `there are no sockets${inNamespace(choice)}` }, choice.output, shell);
}

function findObjects(
  kind: "Plug" | "Socket",
  name: string | undefined,
  choice: GetChoice,
  shell: Shell,
): Promise<KubeObject[]> {
  const { apiVersion } = kind === "Plug" ? Plug : Socket;
  return withClient(choice, shell, async (client, ownNamespace) => {
    await requireKinds(client, shell.signal);
    if (name !== undefined) return [await findOne({ apiVersion, kind }, name, choice, { client, ownNamespace, shell })];
    const namespace = choice.allNamespaces ? undefined : (choice.namespace ?? ownNamespace);
    const { items } = await client.list({ apiVersion, kind, namespace }, shell.signal);
    return items.toSorted((one, other) => compareText(keyOf(one), keyOf(other)));
  });
}

async function findOne(
  kind: { readonly apiVersion: string; readonly kind: string },
  text: string,
  choice: GetChoice,
  { client, ownNamespace, shell }: { client: KubeClient; ownNamespace: string; shell: Shell },
): Promise<KubeObject> {
  const ref = { ...kind, ...readKey(text, choice.namespace ?? ownNamespace) };
  const found = await client.find(ref, shell.signal);
  if (found) return found;
  throw new InputError(`${describeRef(ref)} does not exist`, {
    next: `see what there is: \`tenon get ${kind.kind.toLowerCase()}s --all-namespaces\``,
  });
}

function rowOf<Own extends object>(state: CoupledState, next: string | undefined, own: Own): Row & Own {
  const { object, reason, since, attempts, retryAt } = state;
  const { namespace = "", name } = object.metadata;
  const waitsFor = describeWait(state);
  return {
    namespace,
    name,
    ...own,
    state: state.state,
    ...(reason === undefined ? {} : { reason }),
    ...(since === undefined ? {} : { since }),
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(next === undefined ? {} : { next }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(retryAt === undefined ? {} : { retryAt }),
  };
}

/** What has to happen before it is as its owner wants it; undefined where it is. */
export function describeWait(state: CoupledState): string | undefined {
  const { reason, message, target, hasFailed, isCoupled, isDeleting } = state;
  if (hasFailed || isDeleting) return message;
  if (isCoupled || reason === "SocketEmpty" || reason === "SocketCreated") return undefined;
  if (target !== undefined && reason === "SocketNotCreated") {
    return message?.startsWith(`Socket ${target}: `) ? message : `Socket ${target}`;
  }
  if (target !== undefined && reason === "LimitReached") return `a place at Socket ${target}`;
  return message ?? "the operator";
}

const colours: Readonly<Record<string, Colour>> = { Coupled: "green", Failed: "red", Deleting: "yellow" };

function columnsOf<Own extends Row>(own: readonly Column<Own>[]): Column<Own>[] {
  const now = systemClock.now();
  return [
    { header: "namespace", value: ({ namespace }) => namespace },
    { header: "name", value: ({ name }) => name },
    ...own,
    { header: "state", value: ({ state }) => state, colour: ({ state }) => colours[state] },
    { header: "since", value: ({ since }) => describeAge(since, now) },
    { header: "waits for", value: ({ waitsFor }) => waitsFor },
    { header: "what to do", value: ({ next }) => next },
  ];
}

function inNamespace({ allNamespaces, namespace }: GetChoice): string {
  if (allNamespaces) return "";
  return ` in ${namespace === undefined ? "this namespace" : `namespace ${namespace}`}; --all-namespaces looks further`;
}
