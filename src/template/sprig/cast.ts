import { type GoValue, Int, Named, parseFloat64 } from "#golang";
import { parseInt64 } from "./parse-int64.ts";

/** How a set of functions reads numbers from values of any kind; what is no number is 0. */
export interface Cast {
  readonly toInt64: (value: GoValue) => bigint;
  readonly toFloat64: (value: GoValue) => number;
}

/** As spf13/cast 1.7 does, which sprig 3.3 uses: it knows exact types only, so that a duration is no number. */
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

/** As sprig 2.22 does: by kind, so that a duration is a number and a json.Number is none. */
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

const maxInt64 = (1n << 63n) - 1n;

function isJsonNumber(value: Named): boolean {
  return value.type === "json.Number";
}

function isCalendarNumber(value: Named): boolean {
  return value.type === "time.Month" || value.type === "time.Weekday";
}

/** What a processor gives for a float that no int64 can hold: the smallest one. */
export function truncateToInt64(value: number): bigint {
  return value >= -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : -(1n << 63n);
}

function floatOrZero(text: string): number {
  const { value, problem } = parseFloat64(text);
  return problem ? 0 : value;
}

/** `10.00` is `10`; a text that ends in a bare point is left alone. */
function withoutZeroDecimals(text: string): string {
  return text.endsWith("0") ? text.replace(/\.0+$/, "") : text;
}
