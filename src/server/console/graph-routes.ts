import { compareText } from "#base";
import { buildGraph, type CouplingGraph, graphLines } from "#coupling";
import type { z } from "zod";
import type { GraphAnswer, GraphQuery, GraphTextAnswer, GraphTextQuery } from "./console-api.ts";
import { groupGraph, searchGraph } from "./group-graph.ts";
import type { Person } from "./person.ts";
import type { SearchableRow } from "./query-rows.ts";

const mostNamespaces = 200;

/** The graph of the plugs and sockets that the person may see: the same value as `tenon graph` prints. */
export async function answerGraph(person: Person, query: GraphQuery, signal: AbortSignal): Promise<GraphAnswer> {
  const [plugs, sockets] = await Promise.all([person.list("plugs").rows(signal), person.list("sockets").rows(signal)]);
  const rows = { plug: keyed(plugs), socket: keyed(sockets) };
  const namespaces = new Set([...plugs, ...sockets].map(({ row }) => row.namespace));
  return {
    ...groupGraph(readGraph(person, query), {
      open: query.open?.split(",").filter((name) => name !== ""),
      waitsOn: (kind, key) => rows[kind].get(key),
    }),
    namespaces: [...namespaces].toSorted(compareText).slice(0, mostNamespaces),
    ...problemOf(person),
  };
}

export async function answerGraphText(
  person: Person,
  query: z.infer<typeof GraphTextQuery>,
  signal: AbortSignal,
): Promise<z.infer<typeof GraphTextAnswer>> {
  await Promise.all([person.list("plugs").ready(signal), person.list("sockets").ready(signal)]);
  const lines = graphLines(readGraph(person, query));
  return {
    lines: lines.slice(query.offset, query.offset + query.limit),
    total: lines.length,
    ...problemOf(person),
  };
}

function readGraph(person: Person, { namespace, unhealthy, search }: Omit<GraphQuery, "open">): CouplingGraph {
  const graph = buildGraph(person.list("plugs").objects(), person.list("sockets").objects(), namespace, {
    isUnhealthy: unhealthy === "true",
  });
  return search === undefined ? graph : searchGraph(graph, search);
}

function keyed(rows: readonly SearchableRow[]) {
  return new Map(rows.map(({ row: { namespace, name, waitsOn } }) => [`${namespace}/${name}`, waitsOn]));
}

function problemOf(person: Person): { readonly problem?: string } {
  const [plugs, sockets] = [person.list("plugs"), person.list("sockets")];
  const problem = plugs.absent ?? sockets.absent ?? plugs.problem ?? sockets.problem;
  return problem === undefined ? {} : { problem };
}
