import { type GoValue, Int, Named, parseFloat64, parseInteger } from "#golang";

/** How a set of functions converts any value to a number; what is not a number becomes 0. */
export interface Cast {
  readonly toInt64: (value: GoValue) => bigint;
  readonly toFloat64: (value: GoValue) => number;
}

/** As spf13/cast 1.7 does, which sprig 3.3 uses: by exact type, so that a duration is not a number. */
export const sprigCast: Cast = {
  toInt64(value) {
    if (value instanceof Int) return BigInt.asIntN(64, value.value);
    if (typeof value === "number") return truncateToInt64(value);
    if (typeof value === "string") return parseInt64(withoutZeroDecimals(value), 0) ?? 0n;
    if (typeof value === "boolean") return value ? 1n : 0n;
    if (value instanceof Named)
      return isCalendarNumber(value) || isJsonNumber(value) ? sprigCast.toInt64(value.underlying) : 0n;
    return 0n;
  },
  toFloat64(value) {
    if (typeof value === "number") return value;
    if (value instanceof Int) return Number(value.value);
    if (typeof value === "string") return floatOrZero(value);
    if (typeof value === "boolean") return value ? 1 : 0;
    if (value instanceof Named)
      return isCalendarNumber(value) || isJsonNumber(value) ? sprigCast.toFloat64(value.underlying) : 0;
    return 0;
  },
};

/** As sprig 2.22 does: by kind, so that a duration is a number and a json.Number is not. */
export const plugCast: Cast = {
  toInt64(value) {
    const plain = value instanceof Named ? value.underlying : value;
    if (typeof value === "string") return parseInt64(value, 10) ?? 0n;
    if (plain instanceof Int) return plain.value > maxInt64 ? maxInt64 : plain.value;
    if (typeof plain === "number") return truncateToInt64(plain);
    return plain === true ? 1n : 0n;
  },
  toFloat64(value) {
    const plain = value instanceof Named ? value.underlying : value;
    if (typeof value === "string") return floatOrZero(value);
    if (plain instanceof Int) return Number(plain.value);
    if (typeof plain === "number") return plain;
    return plain === true ? 1 : 0;
  },
};

function isJsonNumber(value: Named): boolean {
  return value.type === "json.Number";
}

function isCalendarNumber(value: Named): boolean {
  return value.type === "time.Month" || value.type === "time.Weekday";
}

/** A float outside the range of int64 becomes the smallest int64, as on amd64. */
function truncateToInt64(value: number): bigint {
  return value >= -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : -(1n << 63n);
}

function floatOrZero(text: string): number {
  const { value, problem } = parseFloat64(text);
  return problem ? 0 : value;
}

/** `10.00` becomes `10`; a text that ends in a point stays. */
function withoutZeroDecimals(text: string): string {
  return text.endsWith("0") ? text.replace(/\.0+$/, "") : text;
}

const maxInt64 = (1n << 63n) - 1n;
const minInt64 = -(1n << 63n);
const maxUint64 = (1n << 64n) - 1n;

/** Go's `strconv.ParseInt` for 64 bits; `undefined` for an error. With base 0, a prefix of the text sets the base. */
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

/** The number that Go's `strconv.Atoi` returns even with an error: the nearest one if the text is too large, else 0. */
export function nearestInt(text: string): bigint {
  const [digits = ""] = /^[+-]?\d+/.exec(text) ?? [];
  const value = parseDigits(digits, 10) ?? 0n;
  // Go stops at the first digit that overflows uint64, and does not see errors behind it.
  const isRead = digits === text || value > maxUint64 || value < -maxUint64;
  if (!isRead) return 0n;
  return value > maxInt64 ? maxInt64 : value < minInt64 ? minInt64 : value;
}
