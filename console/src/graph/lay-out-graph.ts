import type { GraphAnswer, GraphEdge, GraphItem } from "../../../src/server/console/console-api.ts";

export interface PlacedGroup {
  readonly namespace: string;
  readonly top: number;
  readonly items: readonly GraphItem[];
}

export interface PlacedEdge extends GraphEdge {
  readonly fromY: number;
  readonly toY: number;
}

export interface GraphLayout {
  readonly plugs: readonly PlacedGroup[];
  readonly sockets: readonly PlacedGroup[];
  readonly edges: readonly PlacedEdge[];
  readonly height: number;
}

/** As in graph-page.css. */
export const sizes = { head: 34, row: 32, gap: 16, side: 300, between: 300 } as const;

/** Plugs on the left, in order; sockets on the right, each namespace beside the plugs that it is connected to. */
export function layOutGraph({ plugs, sockets, edges }: GraphAnswer): GraphLayout {
  const yOf = new Map<string, number>();
  const left = stack([...Map.groupBy(plugs, ({ namespace }) => namespace)], yOf, () => 0);
  const wished = new Map<string, number[]>();
  for (const { from, to } of edges) {
    const y = yOf.get(from);
    if (y !== undefined) wished.set(to, [...(wished.get(to) ?? []), y]);
  }
  const wish = (items: readonly GraphItem[]): number => {
    const all = items.flatMap(({ id }) => wished.get(id) ?? []);
    return all.length === 0 ? Infinity : all.reduce((sum, y) => sum + y, 0) / all.length;
  };
  const beside = [...Map.groupBy(sockets, ({ namespace }) => namespace)].toSorted(([, one], [, other]) => {
    const [a, b] = [wish(one), wish(other)];
    return a === b ? 0 : a - b;
  });
  const right = stack(beside, yOf, (items) => {
    const middle = wish(items);
    return middle === Infinity ? 0 : middle - heightOf(items) / 2;
  });
  return {
    plugs: left.groups,
    sockets: right.groups,
    edges: edges.flatMap((edge) => {
      const [fromY, toY] = [yOf.get(edge.from), yOf.get(edge.to)];
      return fromY === undefined || toY === undefined ? [] : [{ ...edge, fromY, toY }];
    }),
    height: Math.max(left.end, right.end),
  };
}

function heightOf(items: readonly GraphItem[]): number {
  return sizes.head + items.length * sizes.row;
}

function stack(
  namespaces: readonly (readonly [string, readonly GraphItem[]])[],
  yOf: Map<string, number>,
  wishedTop: (items: readonly GraphItem[]) => number,
) {
  let end = 0;
  const groups = namespaces.map(([namespace, items]): PlacedGroup => {
    const top = Math.max(end, wishedTop(items));
    for (const [index, { id }] of items.entries()) yOf.set(id, top + sizes.head + (index + 0.5) * sizes.row);
    end = top + heightOf(items) + sizes.gap;
    return { namespace, top, items };
  });
  return { groups, end };
}
