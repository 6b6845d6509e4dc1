import { formatShortest } from "../value/index.ts";
import { unsupportedNumber } from "./json-writer.ts";

const lowestInteger = -(2n ** 63n);
const highestInteger = 2n ** 64n - 1n;
const integer = /^-?[0-9]+$/;

/** A float64 as it comes out behind JSON and goyaml.v2: as an integer if it is one of at most 64 bits. */
export function yamlNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (!Number.isFinite(value)) throw unsupportedNumber(value);
  return yamlNumberText(String(value));
}

/** The same for a number that JSON gets as text. */
export function yamlNumberText(text: string): string {
  if (!integer.test(text)) return formatShortest(Number(text));
  const value = BigInt(text);
  return value >= lowestInteger && value <= highestInteger ? value.toString() : formatShortest(Number(text));
}
