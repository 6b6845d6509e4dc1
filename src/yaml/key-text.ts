import type { Scalar } from "./resolve-scalar.ts";
import { WholeFloat } from "./whole-float.ts";
import type { YamlValue } from "./yaml-value.ts";

const largestSigned = 2n ** 63n - 1n;

/** The string that a key becomes on its way to JSON: `on: 1` has the key `true`. Null, lists and maps become none. */
export function keyText(key: YamlValue<Scalar>): string | undefined {
  if (typeof key === "string") return key;
  if (typeof key === "boolean") return String(key);
  if (typeof key === "number") return Number.isInteger(key) ? String(key) : keyOfFloat(key);
  if (key instanceof WholeFloat) return keyOfFloat(key.value);
  return typeof key === "bigint" && key <= largestSigned ? String(key) : undefined;
}

function keyOfFloat(value: number): string {
  const text = floatText(value, 32);
  if (text === "NaN") return ".nan";
  return text.replace(/^\+?(-?)Inf$/, "$1.inf");
}

/** As Go's `FormatFloat(value, 'g', -1, bits)`: the shortest text that still means the same float. */
export function floatText(value: number, bits: 32 | 64): string {
  const round = bits === 32 ? Math.fround : Number;
  const rounded = round(value);
  if (Number.isNaN(rounded)) return "NaN";
  if (!Number.isFinite(rounded)) return rounded > 0 ? "+Inf" : "-Inf";
  if (rounded === 0) return Object.is(rounded, -0) ? "-0" : "0";
  let precision = 1;
  while (round(Number(rounded.toPrecision(precision))) !== rounded) precision += 1;
  const [mantissa = "", exponentText = "0"] = rounded.toExponential(precision - 1).split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return Number(rounded.toPrecision(precision)).toString();
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
