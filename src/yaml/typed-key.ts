import type { Scalar } from "./resolve-scalar.ts";
import { WholeFloat } from "./whole-float.ts";
import type { YamlValue } from "./yaml-value.ts";

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

const largestSigned = 2n ** 63n - 1n;

/** Go prints maps by type of key, in an order of its own, and each type by value. */
export function compareNames(left: string, right: string): number {
  const type = left.charCodeAt(0) - right.charCodeAt(0);
  if (type !== 0) return type;
  if (left.startsWith("b") || left.startsWith("e")) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return Number(left.slice(1)) - Number(right.slice(1));
}
