export interface BackoffBounds {
  readonly shortestMs: number;
  readonly longestMs: number;
}

/**
 * How long to wait after so many failures in a row (1 or more): doubles with each, never leaves its bounds.
 * The upper half of each step is left to chance, also of the longest, so that those who failed together do not return together.
 */
export function backoffMs(failures: number, { shortestMs, longestMs }: BackoffBounds, random: () => number): number {
  // Of 2 ** 1024 on there is only Infinity, which `min` takes as well.
  const ceiling = Math.min(longestMs, shortestMs * 2 ** failures);
  const floor = Math.max(shortestMs, ceiling / 2);
  return Math.min(floor, longestMs) + random() * Math.max(0, ceiling - floor);
}
