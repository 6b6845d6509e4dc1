const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration as people write it, `90s`, `1h30m`, `500ms` or `7d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(?<![\d.])([\d.]+)(ms|[smhd])/g))
    sum += Number(amount) * (unitMs[unit] ?? 0);
  return Number.isSafeInteger(Math.round(sum)) ? Math.round(sum) : undefined;
}
