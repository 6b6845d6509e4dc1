const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** How long ago, as kubectl says it: `12s`, `5m`, `3h`, `8d`; empty for a time that is not known. */
export function describeAge(since: string | undefined, now: number): string {
  const ms = since === undefined ? Number.NaN : now - Date.parse(since);
  if (Number.isNaN(ms)) return "";
  const [unit, size] = units.find(([, each]) => ms >= each) ?? ["s", 1_000];
  return `${Math.max(0, Math.floor(ms / size))}${unit}`;
}
