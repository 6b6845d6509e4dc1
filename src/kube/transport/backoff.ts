export interface BackoffBounds {
  readonly shortestMs: number;
  readonly longestMs: number;
}

/**
 * How long to wait after this many failures in a row (1 or more): doubles with each, within the bounds.
 * Half of each wait is random, so that clients which failed together do not retry together.
 */
export function backoffMs(failures: number, { shortestMs, longestMs }: BackoffBounds, random: () => number): number {
  // 2 ** 1024 and more is Infinity, which `min` handles.
  const ceiling = Math.min(longestMs, shortestMs * 2 ** failures);
  const floor = Math.max(shortestMs, ceiling / 2);
  return Math.min(floor, longestMs) + random() * Math.max(0, ceiling - floor);
}
