import { safeText } from "../terminal/visible-text.ts";
import { compareText, InputError, nearestName } from "#base";
import {
  buildGraph,
  type CouplingGraph,
  graphKey,
  graphLines,
  type GraphPlug,
  type GraphSocket,
  Plug,
  Socket,
} from "#coupling";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printDocument } from "../terminal/print-rows.ts";
import type { GraphFormat } from "./couple-commands.ts";
import { requireCoupledKinds, withClient } from "./with-client.ts";

/** A tree for a terminal: sockets, and below each its coupled and waiting plugs. */
export function drawTree(graph: CouplingGraph): string {
  return graphLines(graph)
    .map((line) => `${safeText(line)}\n`)
    .join("");
}

/** For Graphviz: https://graphviz.org/doc/info/lang.html */
export function drawDot(graph: CouplingGraph): string {
  const { ids, edges } = connect(graph);
  const namespaces = [...byNamespace(graph)].map(([namespace, nodes], index) => {
    const lines = nodes.map(({ kind, node }) => {
      const style = `shape=${kind === "socket" ? "box" : "ellipse"}${node.state === undefined ? ", style=dashed" : ""}`;
      return `    ${ids.get(node)} [label=${quoted(node.name, node.state ?? "does not exist")}, ${style}];`;
    });
    return [`  subgraph cluster_${index} {`, `    label=${quoted(namespace)};`, ...lines, "  }"].join("\n");
  });
  const arrows = edges.map(({ from, to, isFirm, reason }) => {
    const text = reason === undefined ? "" : `, label=${quoted(reason)}`;
    return `  ${from} -> ${to}${isFirm ? "" : ` [style=dashed${text}]`};`;
  });
  return ["digraph coupling {", "  rankdir=LR;", ...namespaces, ...arrows, "}", ""].join("\n");
}

function quoted(...lines: string[]): string {
  return `"${lines.map((line) => safeText(line).replaceAll(/[\\"]/g, "\\$&")).join("\\n")}"`;
}

/** For Markdown on GitHub and GitLab: https://mermaid.js.org/syntax/flowchart.html */
export function drawMermaid(graph: CouplingGraph): string {
  const { ids, edges } = connect(graph);
  const namespaces = [...byNamespace(graph)].map(([namespace, nodes], index) => {
    const lines = nodes.map(({ kind, node }) => {
      const text = `"${label(node.name)}<br>${label(node.state ?? "does not exist")}"`;
      return `    ${ids.get(node)}${kind === "socket" ? `[${text}]` : `([${text}])`}`;
    });
    return [`  subgraph n${index}["${label(namespace)}"]`, ...lines, "  end"].join("\n");
  });
  const arrows = edges.map(({ from, to, isFirm, reason }) => {
    const text = reason === undefined ? "" : `|"${label(reason)}"|`;
    return `  ${from} ${isFirm ? "-->" : "-.->"}${text} ${to}`;
  });
  return ["flowchart LR", ...namespaces, ...arrows, ""].join("\n");
}

function label(text: string): string {
  return safeText(text).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

interface Edge {
  readonly from: string;
  readonly to: string;
  /** The plug is coupled to it. */
  readonly isFirm: boolean;
  /** Why it is not. */
  readonly reason: string | undefined;
}

function connect({ sockets, plugs }: CouplingGraph) {
  const ids = new Map<GraphPlug | GraphSocket, string>([
    ...sockets.map((socket, index) => [socket, `s${index}`] as const),
    ...plugs.map((plug, index) => [plug, `p${index}`] as const),
  ]);
  const socketIds = new Map(sockets.map((socket, index) => [graphKey(socket), `s${index}`]));
  const edges = plugs.flatMap((plug, index) =>
    [plug.leaves, plug.socket].flatMap((key): Edge[] => {
      const to = key === undefined ? undefined : socketIds.get(key);
      const isFirm = key === plug.socket && plug.state === "Coupled";
      return to === undefined
        ? []
        : [{ from: `p${index}`, to, isFirm, reason: isFirm || key !== plug.socket ? undefined : plug.reason }];
    }),
  );
  return { ids, edges };
}

function byNamespace({ sockets, plugs }: CouplingGraph) {
  const nodes = [
    ...plugs.map((node) => ({ kind: "plug" as const, node })),
    ...sockets.map((node) => ({ kind: "socket" as const, node })),
  ];
  return Map.groupBy(nodes, ({ node }) => node.namespace);
}

export interface GraphChoice extends ClusterChoice {
  readonly unhealthy: boolean;
  readonly namespace?: string;
  readonly output: GraphFormat;
}

/** `tenon graph`: prints which plugs are coupled to which sockets. */
export async function printGraph(choice: GraphChoice, shell: Shell): Promise<void> {
  const { namespace } = choice;
  const { graph, namespaces } = await withClient(choice, shell, async (client) => {
    await requireCoupledKinds(client, shell.signal);
    const [plugs, sockets] = await Promise.all(
      [Plug, Socket].map(({ apiVersion, kind }) => client.list({ apiVersion, kind }, shell.signal)),
    );
    const [foundPlugs, foundSockets] = [plugs?.items ?? [], sockets?.items ?? []];
    return {
      graph: buildGraph(foundPlugs, foundSockets, namespace, { isUnhealthy: choice.unhealthy }),
      namespaces: new Set([...foundPlugs, ...foundSockets].flatMap(({ metadata }) => metadata.namespace ?? [])),
    };
  });
  if (namespace !== undefined && !choice.unhealthy && graph.sockets.length + graph.plugs.length === 0) {
    throw new InputError(`no plugs and no sockets in namespace ${namespace}`, {
      where: "--namespace",
      next: adviseNamespace(namespace, [...namespaces].toSorted(compareText)),
    });
  }
  await writeGraph(graph, choice, shell);
}

const mostNames = 10;

function adviseNamespace(name: string, others: readonly string[]): string {
  const near = nearestName(name, others);
  if (near !== undefined) return `did you mean ${near}?`;
  if (others.length === 0) return "there are none in other namespaces either";
  const more = others.length > mostNames ? ` and ${others.length - mostNames} more` : "";
  return `namespaces that have some: ${others.slice(0, mostNames).join(", ")}${more}`;
}

async function writeGraph(
  graph: CouplingGraph,
  { output: format, unhealthy }: GraphChoice,
  shell: Shell,
): Promise<void> {
  if (format === "json" || format === "yaml") {
    await printDocument(graph, format, shell);
    return;
  }
  if (format === "tree" && graph.sockets.length + graph.plugs.length === 0) {
    shell.stderr.write(unhealthy ? "all plugs are coupled, and no socket has failed\n" : "no plugs and no sockets\n");
    return;
  }
  const draw = { tree: drawTree, dot: drawDot, mermaid: drawMermaid }[format];
  shell.stdout.write(draw(graph));
}
