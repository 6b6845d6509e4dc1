import { parseInteger } from "#golang";

const maxInt64 = (1n << 63n) - 1n;
const minInt64 = -(1n << 63n);
const maxUint64 = (1n << 64n) - 1n;

/** Go's `strconv.ParseInt` for 64 bits; `undefined` where that gives an error. With base 0 the text says its base. */
export function parseInt64(text: string, base: 0 | 8 | 10): bigint | undefined {
  const value = base === 0 ? parseInteger(text) : parseDigits(text, base);
  return value === undefined || value > maxInt64 || value < minInt64 ? undefined : value;
}

function parseDigits(text: string, base: 8 | 10): bigint | undefined {
  if (!(base === 8 ? /^[+-]?[0-7]+$/ : /^[+-]?\d+$/).test(text)) return undefined;
  const digits = text.replace(/^[+-]/, "");
  const magnitude = BigInt(base === 8 ? `0o${digits}` : digits);
  return text.startsWith("-") ? -magnitude : magnitude;
}

/** The number that Go's `strconv.Atoi` and `ParseInt` give beside an error: the nearest one if the text is too large, else 0. */
export function nearestInt(text: string): bigint {
  const [digits = ""] = /^[+-]?\d+/.exec(text) ?? [];
  const value = parseDigits(digits, 10) ?? 0n;
  // Go stops at the digit that no uint64 can hold, and does not see what is wrong behind it.
  const isRead = digits === text || value > maxUint64 || value < -maxUint64;
  if (!isRead) return 0n;
  return value > maxInt64 ? maxInt64 : value < minInt64 ? minInt64 : value;
}
