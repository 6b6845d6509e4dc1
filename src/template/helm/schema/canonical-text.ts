import { Int } from "#golang";

/** A text that is the same for equal values only: keys in order, and whole numbers without a fraction. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (value instanceof Int) return value.value.toString();
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item)}`).join(",")}}`;
  }
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value).toString();
  return JSON.stringify(value);
}
