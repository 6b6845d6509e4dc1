/** The candidate within one or two typing mistakes of `name`; upper and lower case are equal. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const lower = name.toLowerCase();
  const tolerated = Math.min(2, Math.floor(lower.length / 3));
  let nearest: string | undefined;
  let fewest = tolerated + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - lower.length) >= fewest) continue;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance >= fewest) continue;
    nearest = candidate;
    fewest = distance;
  }
  return nearest;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one to the other. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
