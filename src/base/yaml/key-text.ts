import type { Scalar } from "./resolve-scalar.ts";
import { WholeFloat } from "./whole-float.ts";
import { goSyntax, type YamlValue } from "./yaml-value.ts";

const largestSigned = 2n ** 63n - 1n;

/** The string that a key becomes on its way to JSON: `on: 1` has the key `true`. Lists and maps become none. */
export function keyText(
  key: YamlValue<Scalar>,
  value: YamlValue<Scalar>,
): string | { readonly problem: string } | undefined {
  if (typeof key === "string") return key;
  if (typeof key === "boolean") return String(key);
  if (typeof key === "number") return Number.isInteger(key) ? String(key) : floatText(key);
  if (key instanceof WholeFloat) return floatText(key.value);
  if (key === null) return unsupported("%!s(<nil>)", "<nil>", value);
  if (typeof key !== "bigint") return undefined;
  return key > largestSigned ? unsupported("uint64", `0x${key.toString(16)}`, value) : String(key);
}

function unsupported(type: string, key: string, value: YamlValue<Scalar>): { readonly problem: string } {
  const text = value === null ? "<nil>" : goSyntax(value);
  return { problem: `unsupported map key of type: ${type}, key: ${key}, value: ${text}` };
}

/** As Go's `FormatFloat(value, 'g', -1, 32)`: the shortest text that still means the same 32-bit float. */
function floatText(value: number): string {
  const single = Math.fround(value);
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(single)) return single > 0 ? ".inf" : "-.inf";
  if (single === 0) return Object.is(value, -0) ? "-0" : "0";
  let precision = 1;
  while (Math.fround(Number(single.toPrecision(precision))) !== single) precision += 1;
  const [mantissa = "", exponentText = "0"] = single.toExponential(precision - 1).split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return Number(single.toPrecision(precision)).toString();
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
