import { isUtf8 } from "node:buffer";
import { isDigit } from "./characters.ts";

/** What a scalar can mean. Integers are numbers, or bigints beyond 2^53; a float is a `WholeFloat` where a number would look like an integer. */
export type Scalar = null | boolean | number | bigint | string | WholeFloat;

/** A float that is a whole number, such as `1.0`, `-0.0` or `1e21`: a JavaScript number would be taken for an integer. */
export class WholeFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toJSON(): number {
    return this.value;
  }
}

/** A scalar as JSON.parse gives it: integers beyond 2^53 are rounded, `1.0` is 1. */
export function plainScalar(value: Scalar): null | boolean | number | string {
  if (typeof value === "bigint") return Number(value);
  return value instanceof WholeFloat ? value.value : value;
}

/** A scalar as it is. */
export function exactScalar(value: Scalar): Scalar {
  return value;
}

const words = new Map<string, Scalar>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((word) => [word, true] as const),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((word) => [word, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);
const longestWord = 5;

/** By its first character: 1 may be one of the words, 2 may be a number or a word, 0 is a string. */
const hints = new Uint8Array(128);
for (const character of "yYnNtTfFoO~") hints[character.charCodeAt(0)] = 1;
for (const character of "+-.0123456789") hints[character.charCodeAt(0)] = 2;

/**
 * What goyaml.v2 takes a plain scalar for. More than YAML 1.1 says (`0o17`, `1e3`), and less: `1:30` and dates stay strings.
 * See https://pkg.go.dev/go.yaml.in/yaml/v2
 */
export function resolvePlain(text: string): Scalar {
  if (text === "") return null;
  const hint = hints[text.charCodeAt(0)];
  if (hint === undefined || hint === 0) return text;
  if (text.length <= longestWord) {
    const word = words.get(text);
    if (word !== undefined) return word;
  }
  return hint === 1 ? text : (resolveNumber(text) ?? text);
}

const floatPattern = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
// Elsewhere underscores may stand anywhere; behind a dot, only between digits.
const dottedFloatPattern = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
const integerPattern = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/;
// Go gives `0b` a second try, after which a sign may follow it.
const signedBinaryPattern = /^0b([-+])([01]+)$/;

function resolveNumber(text: string): Scalar | undefined {
  // Adding 0 takes the sign from -0, which as an integer has none.
  if (isShortInteger(text)) return Number(text) + 0;
  if (text.charCodeAt(0) === 0x2e) return dottedFloatPattern.test(text) ? float(text.replaceAll("_", "")) : undefined;
  const plain = text.includes("_") ? text.replaceAll("_", "") : text;
  return integer(plain) ?? (floatPattern.test(plain) ? float(plain) : undefined) ?? signedBinary(plain);
}

/** Decimal and surely below 2^53, which nearly all are. */
function isShortInteger(text: string): boolean {
  const first = text.charCodeAt(0);
  const start = first === 0x2d || first === 0x2b ? 1 : 0;
  const { length } = text;
  if (length === start || length > 15 || (length > start + 1 && text.charCodeAt(start) === 0x30)) return false;
  for (let at = start; at < length; at += 1) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

const largestSigned = 2n ** 63n - 1n;
const largestUnsigned = 2n ** 64n - 1n;

/** Of 64 bits, and of the upper half of the unsigned ones only without a sign. */
function integer(text: string): number | bigint | undefined {
  const [, sign = "", digits = ""] = integerPattern.exec(text) ?? [];
  if (digits === "") return undefined;
  const isOctal = /^0[0-7]/.test(digits);
  const size = BigInt(isOctal ? `0o${digits.slice(1)}` : digits);
  const value = sign === "-" ? -size : size;
  if (value < -largestSigned - 1n || value > (sign === "" ? largestUnsigned : largestSigned)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function signedBinary(text: string): number | bigint | undefined {
  const [, sign, digits] = signedBinaryPattern.exec(text) ?? [];
  return digits === undefined ? undefined : integer(`${sign}0b${digits}`);
}

/** A number that is too large for a float is a string. */
function float(text: string): number | WholeFloat | undefined {
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  return Number.isInteger(value) ? new WholeFloat(value) : value;
}

/** Whether goyaml.v2 may write a string without quotes and read the same again; what the text looks like aside. */
export function isPlainYamlString(text: string): boolean {
  return typeof resolvePlain(text) === "string" && !(isDigit(text.charCodeAt(0)) && isTimestamp(text));
}

const timestamp =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+](\d{2}):(\d{2}))|[ ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

/** Whether goyaml.v2 takes a text for a date or a time; it reads it as a string all the same, but quotes such a string when it writes. */
function isTimestamp(text: string): boolean {
  const match = timestamp.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0, ...rest] = match
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const [hour, minute, second, zoneHour = 0, zoneMinute = 0, otherHour, otherMinute, otherSecond] = rest;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  const hasTime =
    (hour ?? otherHour ?? 0) < 24 && (minute ?? otherMinute ?? 0) < 60 && (second ?? otherSecond ?? 0) < 60;
  return hasTime && zoneHour <= 24 && zoneMinute <= 60;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const longPrefix = "tag:yaml.org,2002:";

/** A tag that a scalar's text does not fit. The message is Go's. */
export class TagMismatch extends Error {
  override readonly name = "TagMismatch";
}

/** What goyaml.v2 makes of a scalar with a tag; how it is quoted does not matter then. Tags that it does not know mean a string. */
export function resolveTagged(tag: string, text: string): Scalar {
  const name = tag.startsWith(longPrefix) ? tag.slice(longPrefix.length) : "";
  switch (name) {
    case "binary":
      return decodeBinary(text);
    case "bool":
    case "int":
    case "null":
      return mustBe(name, text);
    case "float": {
      const value = mustBe(name, text);
      return typeof value === "bigint" || Number.isInteger(value) ? new WholeFloat(Number(value)) : value;
    }
    case "timestamp":
      mustBe(name, text);
      return text;
    default:
      return text;
  }
}

function mustBe(name: string, text: string): Scalar {
  const value = resolvePlain(text);
  const actual = name === "timestamp" && isTimestamp(text) ? "timestamp" : typeOf(value);
  // An integer beyond the signed ones does not become a float.
  if (
    actual === name ||
    (name === "float" && actual === "int" && !(typeof value === "bigint" && value > largestSigned))
  )
    return value;
  throw new TagMismatch(`cannot decode !!${actual} \`${text}\` as a !!${name}`);
}

function typeOf(value: Scalar): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "string") return "str";
  return typeof value === "number" && Number.isInteger(value) ? "int" : "float";
}

/** The bytes as a string; one that is not valid UTF-8 is the lone surrogate U+DC00 plus the byte, until it becomes U+FFFD in JSON. */
function decodeBinary(text: string): string {
  const compact = text.replace(/[\r\n]/g, "");
  const isBase64 = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  if (!isBase64) throw new TagMismatch("!!binary value contains invalid base64 data");
  const bytes = Buffer.from(compact, "base64");
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let decoded = "";
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((size) => at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)));
    decoded +=
      length === undefined ? String.fromCharCode(0xdc00 + (bytes[at] ?? 0)) : bytes.toString("utf8", at, at + length);
    at += length ?? 1;
  }
  return decoded;
}
