import { Int } from "#golang";

/** A text that is the same for equal values only, with sorted keys and whole numbers without a fraction. */
export function equalityKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(equalityKey).join(",")}]`;
  if (value instanceof Int) return value.value.toString();
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${equalityKey(item)}`).join(",")}}`;
  }
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value).toString();
  return JSON.stringify(value);
}

/** A number exactly as its digits say: `digits` times ten to the `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(value: number | Int): Decimal {
  if (value instanceof Int) return { digits: value.value, exponent: 0 };
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Both as integers of the same unit. */
function aligned(left: number | Int, right: number | Int): [bigint, bigint] {
  const [a, b] = [decimalOf(left), decimalOf(right)];
  const exponent = Math.min(a.exponent, b.exponent);
  return [a.digits * 10n ** BigInt(a.exponent - exponent), b.digits * 10n ** BigInt(b.exponent - exponent)];
}

/** Negative, zero or positive, as `left` is less, equal or greater. */
export function compareNumbers(left: number | Int, right: number | Int): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  const [a, b] = aligned(left, right);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By their digits, so that 0.3 is a multiple of 0.1. */
export function isMultiple(value: number | Int, unit: number): boolean {
  const [a, b] = aligned(value, unit);
  return a % b === 0n;
}
