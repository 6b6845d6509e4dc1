export interface ParsedFloat {
  readonly value: number;
  readonly problem?: "invalid syntax" | "value out of range";
}

const decimalFloat = /^[+-]?(?:[\d_]+(?:\.[\d_]*)?|\.[\d_]+)(?:[eE][+-]?\d[\d_]*)?$/;
const hexadecimalFloat =
  /^(?<sign>[+-]?)0[xX](?<whole>[\da-fA-F_]*)(?:\.(?<part>[\da-fA-F_]*))?[pP](?<exponent>[+-]?\d[\d_]*)$/;
const infinity = /^[+-]?inf(?:inity)?$/i;
const syntax = { value: 0, problem: "invalid syntax" } as const;

/** Go's `strconv.ParseFloat(text, 64)`. */
export function parseFloat64(text: string): ParsedFloat {
  if (infinity.test(text)) return { value: text.startsWith("-") ? -Infinity : Infinity };
  if (/^nan$/i.test(text)) return { value: Number.NaN };
  if (text.includes("_") && !hasGoodUnderscores(text)) return syntax;
  if (decimalFloat.test(text)) {
    const digits = text.replaceAll("_", "");
    if (!/^[+-]?\.?\d/.test(digits)) return syntax;
    return inRange(Number(digits));
  }
  const hexadecimal = hexadecimalFloat.exec(text.replaceAll("_", ""))?.groups;
  if (!hexadecimal) return syntax;
  const { sign, whole = "", part = "", exponent = "0" } = hexadecimal;
  if (whole + part === "") return syntax;
  const value = scaled(BigInt(`0x${whole}${part}`), Number(exponent) - 4 * part.length);
  return inRange(sign === "-" ? -value : value);
}

function inRange(value: number): ParsedFloat {
  return Number.isFinite(value) ? { value } : { value, problem: "value out of range" };
}

/** `mantissa` times two to the power of `exponent`, rounded once, halves to even. */
function scaled(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0;
  const bits = mantissa.toString(2).length;
  if (bits + exponent > 1_024) return Infinity;
  if (bits + exponent < -1_080) return 0;
  const dropped = Math.max(bits - 53, -1_074 - exponent);
  if (dropped <= 0) return Number(mantissa) * 2 ** Math.max(exponent, -1_000) * 2 ** Math.min(exponent + 1_000, 0);
  const shift = BigInt(dropped);
  const half = 1n << (shift - 1n);
  const rest = mantissa & ((1n << shift) - 1n);
  let kept = mantissa >> shift;
  if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n;
  const power = exponent + dropped;
  return Number(kept) * 2 ** Math.max(power, -1_000) * 2 ** Math.min(power + 1_000, 0);
}

const integer =
  /^(?<sign>[+-]?)(?:0[bB](?<binary>[01_]+)|0[oO](?<octal>[0-7_]+)|0[xX](?<hexadecimal>[\da-fA-F_]+)|0(?<old>[0-7_]*)|(?<decimal>[1-9][\d_]*))$/;

/** An integer in Go's syntax: base prefixes, a leading zero for octal, underscores. Any size; `undefined` if it is none. */
export function parseInteger(text: string): bigint | undefined {
  const groups = integer.exec(text)?.groups;
  if (!groups || (text.includes("_") && !hasGoodUnderscores(text))) return undefined;
  const { sign, binary, octal, hexadecimal, old, decimal } = groups;
  const literal = binary
    ? `0b${binary}`
    : octal || old
      ? `0o${octal || old}`
      : hexadecimal
        ? `0x${hexadecimal}`
        : (decimal ?? "0");
  const value = BigInt(literal.replaceAll("_", ""));
  return sign === "-" ? -value : value;
}

/** Underscores only between digits, or between a base prefix and a digit. */
function hasGoodUnderscores(text: string): boolean {
  const unsigned = text.replace(/^[+-]/, "");
  const hexadecimal = /^0[xX]/.test(unsigned);
  const digits = unsigned.replace(/^0[xXoObB]/, "0");
  return !(hexadecimal ? /(?<![\da-fA-F])_|_(?![\da-fA-F])/ : /(?<!\d)_|_(?!\d)/).test(digits);
}
