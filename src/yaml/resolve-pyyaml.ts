import { isDigit } from "./characters.ts";
import { type Scalar, TagMismatch, WholeFloat } from "./resolve-scalar.ts";

const words = new Map<string, Scalar>([
  ...["yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((word) => [word, true] as const),
  ...["no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((word) => [word, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);
const longestWord = 5;

/** By its first character: 1 may be one of the words, 2 may be a number or a word, 3 has no value, 0 is a string. */
const hints = new Uint8Array(128);
for (const character of "yYnNtTfFoO~") hints[character.charCodeAt(0)] = 1;
for (const character of "+-.0123456789") hints[character.charCodeAt(0)] = 2;
for (const character of "<=") hints[character.charCodeAt(0)] = 3;

/**
 * What PyYAML's SafeLoader takes a plain scalar for: YAML 1.1, but `y` and `n` are strings, and a float needs its dot and the sign of
 * its exponent. A date stays its text, because JSON has none. Throws a `TagMismatch` for what PyYAML cannot load, such as `=`.
 * See https://github.com/yaml/pyyaml/blob/6.0.3/lib/yaml/resolver.py
 */
export function resolvePyyamlPlain(text: string): Scalar {
  if (text === "") return null;
  const hint = hints[text.charCodeAt(0)];
  if (hint === undefined || hint === 0) return text;
  if (hint === 3) return meaningless(text);
  if (text.length <= longestWord) {
    const word = words.get(text);
    if (word !== undefined) return word;
  }
  return hint === 1 ? text : (resolveNumber(text) ?? text);
}

/** `<<` merges and `=` is a default where they are keys; as values they mean nothing. */
function meaningless(text: string): string {
  if (text === "<<" || text === "=") throw new TagMismatch(`${text} is not a value`);
  return text;
}

const floatPattern = /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)$/;
const sexagesimalFloatPattern = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/;
const integerPattern = /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;

function resolveNumber(text: string): Scalar | undefined {
  if (isShortInteger(text)) return Number(text) + 0;
  if (floatPattern.test(text) || sexagesimalFloatPattern.test(text)) return float(text);
  return integerPattern.test(text) ? integer(text) : undefined;
}

/** Decimal and surely below 2^53, which nearly all are. */
function isShortInteger(text: string): boolean {
  const { length } = text;
  const start = isDigit(text.charCodeAt(0)) ? 0 : 1;
  if (length === start || length > 15 || (length > start + 1 && text.charCodeAt(start) === 0x30)) return false;
  for (let at = start; at < length; at += 1) if (!isDigit(text.charCodeAt(at))) return false;
  return start === 0 || text.charCodeAt(0) !== 0x2e;
}

/** As Python's `int`, with YAML's forms: binary, octal with a leading zero, hexadecimal and base 60. */
function integer(written: string): number | bigint {
  const text = written.replaceAll("_", "");
  const isNegative = text.startsWith("-");
  const size = magnitude(text.replace(/^[-+]/, ""), written);
  const value = isNegative ? -size : size;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const otherBases: readonly (readonly [prefix: string, digits: RegExp, literal: string])[] = [
  ["0b", /^[01]+$/, "0b"],
  ["0x", /^[0-9a-fA-F]+$/, "0x"],
  // Only behind a tag does a letter come to Python's `int(text, 8)`, which knows it.
  ["0", /^[oO]?[0-7]+$/, "0o"],
];

function magnitude(text: string, written: string): bigint {
  if (text === "0") return 0n;
  for (const [prefix, digits, literal] of otherBases) {
    if (!text.startsWith(prefix)) continue;
    const rest = text.slice(prefix.length);
    if (!digits.test(rest)) throw mismatch("int", written);
    return BigInt(literal + rest.replace(/^o/i, ""));
  }
  const parts = text.split(":");
  if (!parts.every((part) => /^[0-9]+$/.test(part))) throw mismatch("int", written);
  return parts.reduce((sum, part) => sum * 60n + BigInt(part), 0n);
}

const decimalPattern = /^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?$/;

function float(written: string): number | WholeFloat {
  const text = written.replaceAll("_", "").toLowerCase();
  const sign = text.startsWith("-") ? -1 : 1;
  const parts = text.replace(/^[-+]/, "").split(":");
  if (!parts.every((part) => decimalPattern.test(part))) throw mismatch("float", written);
  // From the right, as PyYAML adds them up: sums of floats depend on their order.
  let base = 1;
  let sum = 0;
  for (const part of parts.toReversed()) {
    sum += Number(part) * base;
    base *= 60;
  }
  const value = sign * sum;
  return Number.isInteger(value) ? new WholeFloat(value) : value;
}

const timestampPattern =
  /^[0-9]{4}-(?:[0-9]{2}-[0-9]{2}|[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$/;

/** Whether PyYAML takes a plain text for a date or a time. */
export function isPyyamlTimestamp(text: string): boolean {
  return isDigit(text.charCodeAt(0)) && timestampPattern.test(text);
}

const taggedTimestampPattern =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)?$/;
const longPrefix = "tag:yaml.org,2002:";

/** What PyYAML makes of a scalar with a tag. Bytes and sets have no form in JSON, and tags that it does not know are refused. */
export function resolvePyyamlTagged(tag: string, text: string): Scalar {
  const name = tag.startsWith(longPrefix) ? tag.slice(longPrefix.length) : "";
  switch (name) {
    case "str":
      return text;
    case "null":
      return null;
    case "bool": {
      const value = words.get(text.toLowerCase());
      if (typeof value !== "boolean") throw mismatch(name, text);
      return value;
    }
    case "int":
      return integer(text);
    case "float":
      return words.has(text) && text.includes(".") ? infinite(text) : float(text);
    case "timestamp":
      if (!taggedTimestampPattern.test(text)) throw mismatch(name, text);
      return text;
    default:
      throw new TagMismatch(`cannot decode the tag ${tag}`);
  }
}

function infinite(text: string): number {
  const value = words.get(text);
  return typeof value === "number" ? value : Number.NaN;
}

function mismatch(name: string, text: string): TagMismatch {
  return new TagMismatch(`cannot decode \`${text}\` as a !!${name}`);
}

/** A float as Python prints it, which is what it becomes as a key in JSON. */
export function pythonFloatText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const [mantissa = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  if (exponent < -4 || exponent >= 16)
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  const digits = exponent < 0 ? value.toFixed(mantissa.replace(/[-.]/g, "").length - 1 - exponent) : String(value);
  return digits.includes(".") ? digits : `${digits}.0`;
}
