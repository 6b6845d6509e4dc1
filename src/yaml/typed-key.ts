import { type Scalar, WholeFloat } from "./resolve-scalar.ts";
import { isYamlMap, type YamlValue } from "./yaml-value.ts";

const largestSigned = 2n ** 63n - 1n;

/**
 * The name under which a map keeps an entry while types of keys matter: a letter for the type, then the key.
 * In Go `1`, `1.0` and `"1"` are three keys. Lists and maps have none.
 */
export function typedName(key: YamlValue<Scalar>): string | undefined {
  if (key === null) return "a";
  if (typeof key === "string") return `b${key}`;
  if (typeof key === "bigint") return `${key > largestSigned ? "f" : "c"}${key}`;
  if (typeof key === "boolean") return `e${key}`;
  if (typeof key === "number") return Number.isInteger(key) ? `c${key}` : `d${key}`;
  return key instanceof WholeFloat ? `d${Object.is(key.value, -0) ? 0 : key.value}` : undefined;
}

/** The key of such a name. */
export function keyOfName(name: string): Scalar {
  const text = name.slice(1);
  switch (name.charAt(0)) {
    case "b":
      return text;
    case "c":
    case "f":
      return BigInt(text);
    case "d":
      return Number.isInteger(Number(text)) ? new WholeFloat(Number(text)) : Number(text);
    case "e":
      return text === "true";
    default:
      return null;
  }
}

/** Go prints maps by type of key, in an order of its own, and each type by value. */
export function compareNames(left: string, right: string): number {
  const type = left.charCodeAt(0) - right.charCodeAt(0);
  if (type !== 0) return type;
  if (left.startsWith("b") || left.startsWith("e")) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return Number(left.slice(1)) - Number(right.slice(1));
}

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
function floatText(value: number, bits: 32 | 64): string {
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

/** A value whose maps have typed names, as Go's `%#v` prints it. `quote` is Go's `strconv.Quote`. */
export function goSyntax(value: YamlValue<Scalar>, quote: (text: string) => string): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return quote(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return value > largestSigned ? `0x${value.toString(16)}` : String(value);
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : floatText(value, 64);
  if (value instanceof WholeFloat) return floatText(value.value, 64);
  if (Array.isArray(value)) return `[]interface {}{${value.map((item) => goSyntax(item, quote)).join(", ")}}`;
  if (!isYamlMap(value)) return "";
  const fields = Object.keys(value)
    .toSorted(compareNames)
    .map((name) => `${goSyntax(keyOfName(name), quote)}:${goSyntax(value[name] ?? null, quote)}`);
  return `map[interface {}]interface {}{${fields.join(", ")}}`;
}
