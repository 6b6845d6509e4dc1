import { compareText } from "#base";
import { type Exact, type ExactMap, isExactList, WholeFloat } from "./exact.ts";

const plain = /^[ !#-[\]-~]*$/;
const beyondAscii = /[\u007f-\uffff]/g;
const quote = 0x22;
const comma = 0x2c;
const space = 0x20;

/** Above this, one call of the runtime is cheaper than a step for each character. */
const shortText = 64;

/** More than objects are allowed to have; what does not fit gets as much as it needs, until the next. */
const ordinarySize = 2 ** 20;
let bytes = Buffer.alloc(0);

/**
 * The JSON text that hashes are made of: keys in the order of code points, `, ` and `: ` between, ASCII only, and floats that
 * show that they are floats. It is what Python's `json.dumps(sort_keys=True)` writes.
 */
export function canonicalJson(value: Exact): string {
  return canonicalJsonBytes(value).toString("latin1");
}

/** The same as bytes, until the next call overwrites them. Text put together from pieces costs twice the time. */
export function canonicalJsonBytes(value: Exact): Buffer {
  if (bytes.length !== ordinarySize) bytes = Buffer.allocUnsafeSlow(ordinarySize);
  const end = writeValue(value, 0);
  if (end > bytes.length) {
    bytes = Buffer.allocUnsafeSlow(end);
    writeValue(value, 0);
  }
  return bytes.subarray(0, end);
}

/** Writes from `at` on and gives the place behind the last byte. Beyond the end nothing is written, but all is counted. */
function writeValue(value: Exact, at: number): number {
  if (typeof value === "string") return writeString(value, at);
  if (value === null || typeof value !== "object") return writeAscii(scalarText(value), at);
  if (value instanceof WholeFloat) return writeAscii(floatText(value.value), at);
  return isExactList(value) ? writeList(value, at) : writeMap(value, at);
}

function writeList(list: readonly Exact[], start: number): number {
  let at = start;
  bytes[at++] = 0x5b;
  for (let index = 0; index < list.length; index += 1) {
    if (index > 0) {
      bytes[at++] = comma;
      bytes[at++] = space;
    }
    at = writeValue(list[index] ?? null, at);
  }
  bytes[at++] = 0x5d;
  return at;
}

function writeMap(map: ExactMap, start: number): number {
  let at = start;
  bytes[at++] = 0x7b;
  for (const key of sortedKeys(map)) {
    const field = map[key];
    if (field === undefined) continue;
    if (at > start + 1) {
      bytes[at++] = comma;
      bytes[at++] = space;
    }
    at = writeString(key, at);
    bytes[at++] = 0x3a;
    bytes[at++] = space;
    at = writeValue(field, at);
  }
  bytes[at++] = 0x7d;
  return at;
}

/** Most maps of most objects are in order already. */
function sortedKeys(map: ExactMap): readonly string[] {
  const keys = Object.keys(map);
  for (let index = 1; index < keys.length; index += 1) {
    if (compareText(keys[index - 1] ?? "", keys[index] ?? "") > 0) return keys.toSorted(compareText);
  }
  return keys;
}

function writeString(text: string, start: number): number {
  const { length } = text;
  const target = bytes;
  if (length > shortText) return writeLongString(text, start);
  let at = start;
  target[at++] = quote;
  for (let index = 0; index < length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit > 0x7e || unit === quote || unit === 0x5c) return writeAscii(escaped(text), start);
    target[at++] = unit;
  }
  target[at++] = quote;
  return at;
}

function writeLongString(text: string, start: number): number {
  if (!plain.test(text)) return writeAscii(escaped(text), start);
  bytes[start] = quote;
  const at = writeAscii(text, start + 1);
  bytes[at] = quote;
  return at + 1;
}

function writeAscii(text: string, at: number): number {
  if (at + text.length <= bytes.length) bytes.write(text, at, "latin1");
  return at + text.length;
}

function escaped(text: string): string {
  return JSON.stringify(text).replace(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function scalarText(value: null | boolean | number | bigint): string {
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) && !Object.is(value, -0) ? integerText(value) : floatText(value);
}

function integerText(value: number): string {
  return Math.abs(value) < 2 ** 53 ? String(value) : String(BigInt(value));
}

/** The shortest digits that read back as the same, with an exponent of two digits outside of 1e-4 to 1e16. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  const [mantissa = "0", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}
