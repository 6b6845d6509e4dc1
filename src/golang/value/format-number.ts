import { formatFloat } from "./format-float.ts";
import { type FormatFlags, padded } from "./format-flags.ts";
import { quoteRune } from "./quote.ts";
import { isPrintable } from "../unicode/printable.ts";

const highestRune = 0x10ffffn;

function signOf(negative: boolean, { plus, space }: FormatFlags): string {
  if (negative) return "-";
  if (plus) return "+";
  return space ? " " : "";
}

export interface IntegerStyle {
  readonly base: 2 | 8 | 10 | 16;
  readonly upper?: boolean;
  /** `%O`: the digits after `0o`. */
  readonly prefix?: string;
}

/** `%d` and its kin. A precision gives the least number of digits, `0` fills up to the width with them. */
export function formatInteger(value: bigint, { base, upper = false, prefix = "" }: IntegerStyle, flags: FormatFlags) {
  const negative = value < 0n;
  const sign = signOf(negative, flags);
  let least = 0;
  if (flags.precision !== undefined) {
    if (flags.precision === 0 && value === 0n) return padded("", flags, false);
    least = flags.precision;
  } else if (flags.zero && !flags.minus && flags.width !== undefined) {
    least = flags.width - sign.length;
  }
  let digits = (negative ? -value : value).toString(base).padStart(least, "0");
  if (flags.sharp) digits = sharpPrefix(base, digits) + digits;
  digits = prefix + digits;
  if (upper) digits = digits.toUpperCase();
  return padded(sign + digits, flags, false);
}

function sharpPrefix(base: 2 | 8 | 10 | 16, digits: string): string {
  if (base === 2) return "0b";
  if (base === 16) return "0x";
  return base === 8 && !digits.startsWith("0") ? "0" : "";
}

/** An integer as Go's conversion to uint64 gives it, which `%c`, `%q` and `%U` start from. */
function unsigned(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function runeOf(value: bigint): number {
  const code = unsigned(value);
  return code > highestRune ? 0xfffd : Number(code);
}

/** `%c`. */
export function formatCharacter(value: bigint, flags: FormatFlags): string {
  const code = runeOf(value);
  return padded(String.fromCodePoint(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code), flags);
}

/** `%q` of an integer. */
export function formatQuotedCharacter(value: bigint, flags: FormatFlags): string {
  return padded(quoteRune(runeOf(value), { ascii: flags.plus }), flags);
}

/** `%U`. */
export function formatUnicode(value: bigint, flags: FormatFlags): string {
  const code = unsigned(value);
  const digits = code.toString(16).toUpperCase();
  const text = `U+${digits.padStart(Math.max(flags.precision ?? 4, 4), "0")}`;
  const shows = flags.sharp && code <= highestRune && isPrintable(Number(code));
  return padded(shows ? `${text} '${String.fromCodePoint(Number(code))}'` : text, flags, false);
}

/** `%e`, `%f`, `%g` and their kin; `%v` is `%g` with precision -1. */
export function formatFloatWith(value: number, verb: string, defaultPrecision: number, flags: FormatFlags): string {
  const precision = flags.precision ?? defaultPrecision;
  const plain = formatFloat(value, verb, precision);
  const isSigned = plain.startsWith("-") || plain.startsWith("+");
  let sign = isSigned ? plain.slice(0, 1) : "+";
  let digits = isSigned ? plain.slice(1) : plain;
  if (flags.space && sign === "+" && !flags.plus) sign = " ";
  if (digits === "NaN") return padded(flags.space || flags.plus ? sign + digits : digits, flags, false);
  if (digits === "Inf") return padded(sign + digits, flags, false);
  if (flags.sharp && verb !== "b") digits = withAllDigits(digits, verb, precision);
  const showsSign = flags.plus || sign !== "+";
  if (!showsSign) return padded(digits, flags);
  const { zero, minus, width } = flags;
  // The sign stands before the zeros that fill up.
  if (zero && !minus && width !== undefined) return sign + digits.padStart(width - 1, "0");
  return padded(sign + digits, flags);
}

/** `#`: a decimal point always, and for `%g` the zeros at the end. */
function withAllDigits(text: string, verb: string, precision: number): string {
  const counts = verb === "g" || verb === "G" || verb === "x";
  let missing = counts ? (precision === -1 ? 6 : precision) : 0;
  const isHexadecimal = verb === "x" || verb === "X";
  const tailAt = text.search(isHexadecimal ? /[pP]/ : /[eE]/);
  let head = tailAt < 0 ? text : text.slice(0, tailAt);
  const tail = tailAt < 0 ? "" : text.slice(tailAt);
  // The 0x of a hexadecimal counts as Go counts it: x is a digit that is not zero.
  const significant = head.replace(".", "").replace(/^0+/, "");
  missing -= significant.length;
  if (!head.includes(".")) {
    if (head === "0") missing -= 1;
    head += ".";
  }
  return head + "0".repeat(Math.max(missing, 0)) + tail;
}
