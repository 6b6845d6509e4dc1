import { compareText, InputError, systemClock } from "#base";
import {
  advisePlug,
  adviseSocket,
  asNumber,
  asRecord,
  type CoupledState,
  describeWait,
  Plug,
  readCoupledState,
  Socket,
} from "#coupling";
import { describeRef, keyOf, type KubeClient, type KubeObject } from "#kube";
import { callAgain } from "../call-again.ts";
import type { ClusterChoice, OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { Colour } from "../terminal/paint.ts";
import { printRows } from "../terminal/print-rows.ts";
import type { Column } from "../terminal/format-table.ts";
import { describeAge } from "../terminal/describe-age.ts";
import { parseObjectKey } from "./object-name.ts";
import { requireCoupledKinds, withClient } from "./with-client.ts";

export interface GetCoupledChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly output: OutputFormat;
}

/** What every table of objects has. */
export interface ObjectRow {
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly since?: string;
  readonly waitsFor?: string;
  readonly next?: string;
  readonly attempts?: number;
  readonly retryAt?: string;
  /** The Role that is missing, as YAML for `kubectl apply -f -`. */
  readonly role?: string;
}

interface PlugRow extends ObjectRow {
  readonly socket?: string;
}

interface SocketRow extends ObjectRow {
  readonly plugs: number;
  /** Absent if there is no limit. */
  readonly limit?: number;
}

/** `tenon get plugs` */
export async function getPlugs(name: string | undefined, choice: GetCoupledChoice, shell: Shell): Promise<void> {
  const found = await findObjects(Plug, name, choice, shell);
  const rows = found.map((object): PlugRow => {
    const state = readCoupledState(object);
    const { target, leaves } = state;
    const socket = leaves === undefined || target === undefined ? (target ?? leaves) : `${leaves} -> ${target}`;
    return rowOf(state, advisePlug(state, callAgain(shell.env)), socket === undefined ? {} : { socket });
  });
  const columns = columnsOf<PlugRow>([{ header: "socket", value: ({ socket }) => socket }]);
  await printRows({ rows, columns, whenEmpty: `no plugs${inNamespace(choice)}` }, choice.output, shell);
}

/** `tenon get sockets` */
export async function getSockets(name: string | undefined, choice: GetCoupledChoice, shell: Shell): Promise<void> {
  const found = await findObjects(Socket, name, choice, shell);
  const rows = found.map((object): SocketRow => {
    const state = readCoupledState(object);
    const limit = asNumber(asRecord(object["spec"])["limit"]);
    const plugs = asNumber(asRecord(object["status"])["coupledPlugsCount"]) ?? 0;
    return rowOf(state, adviseSocket(state, callAgain(shell.env)), { plugs, ...(limit ? { limit } : {}) });
  });
  const columns = columnsOf<SocketRow>([
    { header: "plugs", value: ({ plugs, limit }) => (limit === undefined ? plugs : `${plugs}/${limit}`) },
  ]);
  await printRows({ rows, columns, whenEmpty: `no sockets${inNamespace(choice)}` }, choice.output, shell);
}

/** The object that the user names, or all of the namespaces that the user chose, sorted. */
export function findObjects(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  name: string | undefined,
  choice: GetCoupledChoice,
  shell: Shell,
): Promise<KubeObject[]> {
  return withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [{ apiVersion, kind }]);
    if (name !== undefined) return [await findOne({ apiVersion, kind }, name, choice, { client, ownNamespace, shell })];
    const namespace = choice.allNamespaces ? undefined : (choice.namespace ?? ownNamespace);
    const { items } = await client.list({ apiVersion, kind, namespace }, shell.signal);
    return items.toSorted((one, other) => compareText(keyOf(one), keyOf(other)));
  });
}

async function findOne(
  kind: { readonly apiVersion: string; readonly kind: string },
  text: string,
  choice: GetCoupledChoice,
  { client, ownNamespace, shell }: { client: KubeClient; ownNamespace: string; shell: Shell },
): Promise<KubeObject> {
  const ref = { ...kind, ...parseObjectKey(text, choice.namespace ?? ownNamespace) };
  const found = await client.find(ref, shell.signal);
  if (found) return found;
  throw new InputError(`${describeRef(ref)} not found`, {
    next: `\`tenon get ${kind.kind.toLowerCase()}s --all-namespaces\` lists all`,
  });
}

function rowOf<Own extends object>(state: CoupledState, next: string | undefined, own: Own): ObjectRow & Own {
  const { object, reason, since, attempts, retryAt, role } = state;
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
    ...(role === undefined ? {} : { role }),
  };
}

const colours: Readonly<Record<string, Colour>> = { Failed: "red", Deleting: "yellow" };

export function columnsOf<Own extends ObjectRow>(own: readonly Column<Own>[]): Column<Own>[] {
  const now = systemClock.now();
  return [
    { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
    { header: "name", value: ({ name }) => name, keep: "all" },
    ...own,
    { header: "state", value: ({ state }) => state, colour: ({ state }) => colours[state] },
    { header: "since", value: ({ since }) => describeAge(since, now) },
    {
      header: "waits for",
      value: ({ waitsFor }) => waitsFor,
      below: ({ waitsFor }) => (waitsFor === undefined ? [] : [waitsFor]),
    },
    {
      header: "what to do",
      value: ({ next }) => next,
      below: ({ next }) => (next === undefined ? [] : [`next: ${next}`]),
    },
  ];
}

/** For the message that there is nothing. */
export function inNamespace({ allNamespaces, namespace }: GetCoupledChoice): string {
  if (allNamespaces) return "";
  return ` in ${namespace === undefined ? "this namespace" : `namespace ${namespace}`}; --all-namespaces lists all`;
}
