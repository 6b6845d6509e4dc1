import type { GlobNode } from "./glob-syntax.ts";

/**
 * Takes what all alternatives begin and end with out of them: `{a*b,a*c}` is `a*{b,c}`. `undefined` if they share nothing.
 * A mere simplification, were it not that simpler patterns match what others should match too, and do not.
 */
export function factorAlternatives(alternatives: readonly GlobNode[]): GlobNode | undefined {
  const sequences = alternatives.map((node) => (node.kind === "sequence" ? node.children : []));
  const { left, right } = sharedEnds(sequences);
  if (left.length === 0 && right.length === 0) return undefined;
  const rests = sequences.map((nodes): GlobNode => {
    const rest = nodes.slice(left.length, nodes.length - right.length);
    return rest.length === 0 ? { kind: "nothing" } : { kind: "sequence", children: rest };
  });
  const distinct = rests.filter((rest, index) => rests.findIndex((other) => isSame(other, rest)) === index);
  const [only] = distinct;
  const middle: GlobNode[] =
    distinct.length > 1
      ? [{ kind: "alternatives", children: distinct }]
      : only && only.kind !== "nothing"
        ? [only]
        : [];
  return {
    kind: "sequence",
    children: [
      ...(left.length > 0 ? [{ kind: "sequence", children: left } as const] : []),
      ...middle,
      ...(right.length > 0 ? [{ kind: "sequence", children: right } as const] : []),
    ],
  };
}

type Sequences = readonly (readonly GlobNode[])[];

function sharedEnds(sequences: Sequences): { left: GlobNode[]; right: GlobNode[] } {
  const left: GlobNode[] = [];
  const right: GlobNode[] = [];
  if (sequences.length <= 1) return { left, right };
  const shortest = Math.min(...sequences.map(({ length }) => length));
  const model = sequences.find(({ length }) => length === shortest) ?? [];
  let isLeftOpen = true;
  let isRightOpen = true;
  for (let at = 0; left.length + right.length < shortest && (isLeftOpen || isRightOpen); at += 1) {
    const end = shortest - 1 - at;
    for (const other of sequences) {
      if (other === model) continue;
      isLeftOpen &&= isSame(model[at], other[at]);
      // Once the left side has reached the right one, it has what they share.
      isRightOpen &&= !(isLeftOpen && end <= at) && isSame(model[end], other[other.length - 1 - at]);
    }
    const [first, last] = [model[at], model[end]];
    if (isLeftOpen && first) left.push(first);
    if (isRightOpen && last) right.unshift(last);
  }
  return { left, right };
}

function isSame(one: GlobNode | undefined, other: GlobNode | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
