import { toBytes } from "../value/bytes.ts";
import { FunctionError } from "../value/go-function.ts";

export const nanosecondsPerSecond = 1_000_000_000n;
const minute = 60n * nanosecondsPerSecond;
const hour = 60n * minute;

const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n],
  ["\u03bcs", 1_000n],
  ["ms", 1_000_000n],
  ["s", nanosecondsPerSecond],
  ["m", minute],
  ["h", hour],
]);

const largest = (1n << 63n) - 1n;
const smallest = -(1n << 63n);
const partAhead = /(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<unit>[^.\d]*)/y;

/** Go's `time.ParseDuration`: nanoseconds. Throws a `FunctionError` with Go's text. */
export function parseGoDuration(text: string): bigint {
  const negative = text.startsWith("-");
  const digits = negative || text.startsWith("+") ? text.slice(1) : text;
  if (digits === "0") return 0n;
  if (digits === "") throw durationError("invalid duration", text);
  let sum = 0n;
  partAhead.lastIndex = 0;
  while (partAhead.lastIndex < digits.length) {
    sum += readPart(partAhead.exec(digits)?.groups ?? {}, text);
    if (sum > 1n << 63n) throw durationError("invalid duration", text);
  }
  if (negative) return -sum;
  if (sum > largest) throw durationError("invalid duration", text);
  return sum;
}

function readPart({ whole = "", fraction = "", unit = "" }: Record<string, string | undefined>, text: string): bigint {
  if (whole === "" && fraction === "") throw durationError("invalid duration", text);
  // The sum of many digits would be slow to make, and too large in any case.
  const count = BigInt(whole.replace(/^0+(?=.{20})/, "").slice(0, 20));
  if (count > 1n << 63n) throw durationError("invalid duration", text);
  if (unit === "") throw durationError("missing unit in duration", text);
  const size = units.get(unit);
  if (size === undefined) throw durationError(`unknown unit ${quoteBytes(toBytes(unit))} in duration`, text);
  if (count > (1n << 63n) / size) throw durationError("invalid duration", text);
  const nanoseconds = count * size + fractionOf(fraction, size);
  if (nanoseconds > 1n << 63n) throw durationError("invalid duration", text);
  return nanoseconds;
}

/** Go takes as many digits as 63 bits hold, and computes in floating point. */
function fractionOf(digits: string, size: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits.slice(0, 400)) {
    const longer = value * 10n + BigInt(digit);
    if (value > largest / 10n || longer > 1n << 63n) break;
    value = longer;
    scale *= 10;
  }
  return value > 0n ? BigInt(Math.trunc(Number(value) * (Number(size) / scale))) : 0n;
}

function durationError(what: string, text: string): FunctionError {
  return new FunctionError(`time: ${what} ${quoteBytes(toBytes(text))}`);
}

/** How package time quotes: all that is not printable ASCII by its bytes. */
export function quoteBytes(quoted: Uint8Array): string {
  const bytes = Array.from(quoted, (byte) => {
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, "0")}`;
    const character = String.fromCharCode(byte);
    return character === '"' || character === "\\" ? `\\${character}` : character;
  });
  return `"${bytes.join("")}"`;
}

/** Go's `Duration.String`: `72h3m0.5s`. */
export function formatGoDuration(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? "-" : "";
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size === 0n) return "0s";
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}µs`;
  if (size < nanosecondsPerSecond) return `${sign}${decimal(size, 6)}ms`;
  const hours = size / hour;
  const minutes = (size / minute) % 60n;
  const seconds = `${decimal(size % minute, 9)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/(?<!0)0+$/, "");
  const whole = digits.slice(0, -places);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Go's `Duration.Round`: halves go away from zero, and what is too large stays at the largest. */
export function roundGoDuration(nanoseconds: bigint, multiple: bigint): bigint {
  if (multiple <= 0n) return nanoseconds;
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const rest = size % multiple;
  const rounded = rest + rest < multiple ? size - rest : size + multiple - rest;
  return saturate(nanoseconds < 0n ? -rounded : rounded);
}

/** A duration is 64 bits; what does not fit is the nearest that does. */
export function saturate(nanoseconds: bigint): bigint {
  if (nanoseconds > largest) return largest;
  return nanoseconds < smallest ? smallest : nanoseconds;
}
