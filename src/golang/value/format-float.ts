/** Digits without leading or trailing zeros, and how many of them stand before the decimal point. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** Go's `strconv.FormatFloat` of a float64. Precision -1 asks for the fewest digits that read back as the same number. */
export function formatFloat(value: number, verb: string, precision: number): string {
  if (Number.isNaN(value)) return "NaN";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const magnitude = Math.abs(value);
  if (magnitude === Infinity) return sign === "" ? "+Inf" : "-Inf";
  if (verb === "b") return sign + binary(magnitude);
  if (verb === "x" || verb === "X") return sign + hexadecimal(magnitude, verb, precision);
  return sign + decimal(magnitude, verb, precision);
}

/** `%v` of a float64. */
export function formatShortest(value: number): string {
  const magnitude = value < 0 ? -value : value;
  if (magnitude >= 1e-4 && magnitude < 1e6) return String(value);
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  return formatFloat(value, "g", -1);
}

function decimal(magnitude: number, verb: string, precision: number): string {
  const shortest = precision < 0;
  if (shortest) {
    const short = shortestDecimal(magnitude);
    const { digits, point } = short;
    if (verb === "e" || verb === "E") return withExponent(short, Math.max(digits.length - 1, 0), verb);
    if (verb === "f") return withPoint(short, Math.max(digits.length - point, 0));
    return general(short, digits.length, 6, verb);
  }
  const exact = exactDecimal(magnitude);
  if (verb === "e" || verb === "E") return withExponent(rounded(exact, precision + 1), precision, verb);
  if (verb === "f") return withPoint(rounded(exact, exact.point + precision), precision);
  const digitCount = precision || 1;
  const round = rounded(exact, digitCount);
  const { digits, point } = round;
  return general(
    round,
    digitCount,
    digitCount > digits.length && digits.length >= point ? digits.length : digitCount,
    verb,
  );
}

/** `%g`: with an exponent if that is below -4 or not below `threshold`. */
function general(value: Decimal, precision: number, threshold: number, verb: string): string {
  const { digits, point } = value;
  const exponent = point - 1;
  if (exponent < -4 || exponent >= threshold)
    return withExponent(value, Math.min(precision, digits.length) - 1, verb === "G" ? "E" : "e");
  return withPoint(value, Math.max((precision > point ? digits.length : precision) - point, 0));
}

function withExponent({ digits, point }: Decimal, precision: number, letter: string): string {
  const fraction = precision > 0 ? `.${digits.slice(1, precision + 1).padEnd(precision, "0")}` : "";
  const exponent = digits === "" ? 0 : point - 1;
  const power = String(Math.abs(exponent)).padStart(2, "0");
  return `${digits[0] ?? "0"}${fraction}${letter}${exponent < 0 ? "-" : "+"}${power}`;
}

function withPoint({ digits, point }: Decimal, precision: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  if (precision <= 0) return whole;
  const fraction = point >= 0 ? digits.slice(point) : "0".repeat(Math.min(-point, precision)) + digits;
  return `${whole}.${fraction.slice(0, precision).padEnd(precision, "0")}`;
}

function shortestDecimal(magnitude: number): Decimal {
  if (magnitude === 0) return { digits: "", point: 0 };
  const [mantissa = "", exponent = "0"] = magnitude.toExponential().split("e");
  return { digits: mantissa.replace(".", ""), point: Number(exponent) + 1 };
}

const view = new DataView(new ArrayBuffer(8));

/** The value as `mantissa` times two to the power of `exponent`. */
function binaryParts(magnitude: number): { mantissa: bigint; exponent: number } {
  view.setFloat64(0, magnitude);
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10_0000_0000_0000n, exponent: biased - 1075 };
}

function exactDecimal(magnitude: number): Decimal {
  if (magnitude === 0) return { digits: "", point: 0 };
  const { mantissa, exponent } = binaryParts(magnitude);
  const text = (exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits: text.replace(/(?<!0)0+$/, ""), point: text.length + Math.min(exponent, 0) };
}

/** Rounds to `count` digits, to the nearest, halves to even. */
function rounded(value: Decimal, count: number): Decimal {
  const { digits, point } = value;
  if (count < 0 || count >= digits.length) return value;
  const kept = digits.slice(0, count);
  const rest = digits.slice(count);
  const up = rest === "5" ? count > 0 && Number(kept.at(-1)) % 2 === 1 : rest >= "5";
  if (!up) return { digits: kept.replace(/(?<!0)0+$/, ""), point };
  const nines = /(?<!9)9*$/.exec(kept)?.[0].length ?? 0;
  if (nines === count) return { digits: "1", point: point + 1 };
  const last = count - nines - 1;
  return { digits: kept.slice(0, last) + (Number(kept[last]) + 1), point };
}

function binary(magnitude: number): string {
  const { mantissa, exponent } = binaryParts(magnitude);
  return `${mantissa}p${exponent >= 0 ? "+" : ""}${exponent}`;
}

function hexadecimal(magnitude: number, verb: "x" | "X", precision: number): string {
  let { mantissa, exponent } = binaryParts(magnitude);
  exponent = magnitude === 0 ? 0 : exponent + 52;
  // One bit before the point, thirteen hexadecimal digits behind it.
  while (mantissa !== 0n && mantissa >> 52n === 0n) {
    mantissa <<= 1n;
    exponent -= 1;
  }
  if (precision >= 0 && precision < 13) {
    const dropped = BigInt(52 - precision * 4);
    const half = 1n << (dropped - 1n);
    const rest = mantissa & ((1n << dropped) - 1n);
    mantissa >>= dropped;
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa += 1n;
    mantissa <<= dropped;
    if (mantissa >> 53n !== 0n) {
      mantissa >>= 1n;
      exponent += 1;
    }
  }
  const fraction = (mantissa & 0xf_ffff_ffff_ffffn).toString(16).padStart(13, "0");
  const shown = precision < 0 ? fraction.replace(/(?<!0)0+$/, "") : fraction.slice(0, precision).padEnd(precision, "0");
  const power = `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  const text = `0x${mantissa >> 52n}${shown === "" ? "" : `.${shown}`}p${power}`;
  return verb === "X" ? text.toUpperCase() : text;
}
