const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** How long ago a time was: `12 s`, `5 min`, `3 h`, `8 d`; empty if unknown. */
export function describeAge(since: string | undefined, now: number): string {
  const ms = since === undefined ? Number.NaN : now - Date.parse(since);
  if (Number.isNaN(ms)) return "";
  const [unit, size] = units.find(([, each]) => ms >= each) ?? ["s", 1_000];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}
