import { Plug, Socket } from "#coupling";
import type { ClusterChoice } from "../cluster-options.ts";
import type { Shell } from "../shell.ts";
import { printValue } from "../terminal/print.ts";
import { buildGraph, type CouplingGraph } from "./coupling-graph.ts";
import { drawDot, drawMermaid, drawTree } from "./draw-graph.ts";
import type { GraphFormat } from "./graph.ts";
import { requireKinds, withClient } from "./with-client.ts";

export interface GraphChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly output: GraphFormat;
}

/** Prints who is on whose socket. */
export async function printGraph(choice: GraphChoice, shell: Shell): Promise<void> {
  const graph = await withClient(choice, shell, async (client) => {
    await requireKinds(client, shell.signal);
    const [plugs, sockets] = await Promise.all(
      [Plug, Socket].map(({ apiVersion, kind }) => client.list({ apiVersion, kind }, shell.signal)),
    );
    return buildGraph(plugs?.items ?? [], sockets?.items ?? [], choice.namespace);
  });
  await writeGraph(graph, choice.output, shell);
}

async function writeGraph(graph: CouplingGraph, format: GraphFormat, shell: Shell): Promise<void> {
  if (format === "json" || format === "yaml") {
    await printValue(graph, format, shell);
    return;
  }
  if (format === "tree" && graph.sockets.length + graph.plugs.length === 0) {
    shell.stderr.write("there are no plugs and no sockets\n");
    return;
  }
  const draw = { tree: drawTree, dot: drawDot, mermaid: drawMermaid }[format];
  shell.stdout.write(draw(graph));
}
