import { floatText } from "./key-text.ts";
import type { Scalar } from "./resolve-scalar.ts";
import { compareNames, keyOfName } from "./typed-key.ts";
import { WholeFloat } from "./whole-float.ts";
import { isYamlMap, type YamlValue } from "./yaml-value.ts";

const largestSigned = 2n ** 63n - 1n;

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
