import { compareText } from "#base";
import { type CouplingGraph, graphKey, type GraphPlug, type GraphSocket } from "#coupling";
import type { ConsoleRow, GraphAnswer, GraphEdge, GraphItem } from "./console-api.ts";

type WaitsOn = ConsoleRow["waitsOn"];

/** Up to so many plugs and sockets are shown one by one unless other namespaces are asked for. */
const small = 60;
const mostNamespaces = 100;
/** One by one, of each namespace and of all. The rest of a namespace stays in groups. */
const mostOfNamespace = 250;
const mostSingle = 1_500;
const absent = "does not exist";
const urgency: readonly WaitsOn[] = ["person", "tenon", "nothing"];

export interface GraphView {
  /** Namespaces to show one by one. */
  readonly open: readonly string[] | undefined;
  /** Of a plug or socket, as the lists say it. */
  readonly waitsOn: (kind: "plug" | "socket", key: string) => WaitsOn | undefined;
}

type Grouped = Pick<GraphAnswer, "plugs" | "sockets" | "edges" | "totalPlugs" | "totalSockets" | "open" | "hidden">;

/** What a person can look at of a graph of any size: groups of a namespace and a state, and single plugs and sockets where asked. */
export function groupGraph({ plugs, sockets }: CouplingGraph, { open, waitsOn }: GraphView): Grouped {
  const all = [...plugs, ...sockets];
  const opened = new Set(open ?? (all.length <= small ? all.map(({ namespace }) => namespace) : []));
  const left = groupSide("plug", plugs, opened, waitsOn);
  const right = groupSide("socket", sockets, opened, waitsOn);
  const edges = new Map<string, GraphEdge>();
  for (const plug of plugs) {
    const from = left.idOf.get(graphKey(plug));
    for (const [key, isLeaving] of [
      [plug.socket, false],
      [plug.leaves, true],
    ] as const) {
      const to = key === undefined ? undefined : right.idOf.get(key);
      if (from === undefined || to === undefined) continue;
      const kind = isLeaving ? "leaving" : plug.state === "Coupled" ? "coupled" : "waiting";
      const reason = kind === "waiting" ? plug.reason : undefined;
      const id = [from, to, kind, reason].join("\n");
      const count = (edges.get(id)?.count ?? 0) + 1;
      edges.set(id, { from, to, kind, count, ...(reason === undefined ? {} : { reason }) });
    }
  }
  return {
    plugs: left.items,
    sockets: right.items,
    edges: [...edges.values()],
    totalPlugs: plugs.length,
    totalSockets: sockets.length,
    open: [...opened].toSorted(compareText),
    hidden: left.hidden + right.hidden,
  };
}

interface Side {
  readonly items: GraphItem[];
  /** The item that a plug or socket is in, by its key. */
  readonly idOf: ReadonlyMap<string, string>;
  readonly hidden: number;
}

function groupSide(
  kind: "plug" | "socket",
  nodes: readonly (GraphPlug | GraphSocket)[],
  opened: ReadonlySet<string>,
  waitsOn: GraphView["waitsOn"],
): Side {
  const judged = nodes.map((node) => {
    const key = graphKey(node);
    const { state = absent } = node;
    return { node, key, state, on: node.state === undefined ? ("person" as const) : (waitsOn(kind, key) ?? "nothing") };
  });
  const namespaces = [...Map.groupBy(judged, ({ node }) => node.namespace)];
  const worst = new Map(
    namespaces.map(([name, own]) => [name, Math.min(...own.map(({ on }) => urgency.indexOf(on)))] as const),
  );
  // Those that need a person first, so that what is beyond the bound is what matters least.
  const kept = namespaces
    .toSorted(([one], [other]) => (worst.get(one) ?? 0) - (worst.get(other) ?? 0) || compareText(one, other))
    .slice(0, mostNamespaces);
  const idOf = new Map<string, string>();
  let room = mostSingle;
  const items: GraphItem[] = [];
  for (const [namespace, own] of kept) {
    const byUrgency = own.toSorted((one, other) => urgency.indexOf(one.on) - urgency.indexOf(other.on));
    const most = opened.has(namespace) ? Math.min(room, mostOfNamespace) : 0;
    room -= Math.min(most, own.length);
    for (const { node, key, state, on } of byUrgency.slice(0, most)) {
      const { name, waitsFor } = node;
      const id = `${kind}/${key}`;
      idOf.set(key, id);
      items.push({
        id,
        namespace,
        name,
        count: 1,
        state,
        waitsOn: on,
        ...(waitsFor === undefined ? {} : { waitsFor }),
      });
    }
    for (const [group, members] of Map.groupBy(byUrgency.slice(most), ({ state, on }) => `${on}/${state}`)) {
      const id = `${kind}/${namespace}//${group}`;
      for (const { key } of members) idOf.set(key, id);
      const [{ state, on } = { state: absent, on: "nothing" as const }] = members;
      items.push({ id, namespace, count: members.length, state, waitsOn: on });
    }
  }
  const inOrder = items.toSorted((one, other) => compareText(one.namespace, other.namespace));
  return { items: inOrder, idOf, hidden: nodes.length - idOf.size };
}

/** Plugs that contain the text or whose sockets do, and their sockets; sockets that contain it. In any case of letters. */
export function searchGraph({ plugs, sockets }: CouplingGraph, search: string): CouplingGraph {
  const text = search.toLowerCase();
  const has = (node: GraphPlug | GraphSocket): boolean =>
    [graphKey(node), node.state ?? absent, node.waitsFor, "reason" in node ? node.reason : undefined].some((part) =>
      part?.toLowerCase().includes(text),
    );
  const found = new Set(sockets.filter(has).map(graphKey));
  const shown = plugs.filter((plug) => has(plug) || found.has(plug.socket ?? "") || found.has(plug.leaves ?? ""));
  const named = new Set(shown.flatMap(({ socket, leaves }) => [socket, leaves]));
  return {
    plugs: shown,
    sockets: sockets.filter((socket) => found.has(graphKey(socket)) || named.has(graphKey(socket))),
  };
}
