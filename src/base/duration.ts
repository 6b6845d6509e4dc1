const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration as people write it, `90s`, `1h30m`, `500ms` or `7d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(?<![\d.])([\d.]+)(ms|[smhd])/g))
    sum += Number(amount) * (unitMs[unit] ?? 0);
  return Number.isSafeInteger(Math.round(sum)) ? Math.round(sum) : undefined;
}

/** A duration as people write it, in at most two units: `5m`, `1h30m`, `45s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(Math.ceil(ms / 1_000), 0);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first === -1) return "0s";
  const shown = parts.slice(first, first + 2).filter(([amount]) => amount > 0);
  return shown.map(([amount, unit]) => `${amount}${unit}`).join("");
}
