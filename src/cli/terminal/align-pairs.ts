import { textWidth } from "./text-width.ts";

/** Indented lines of two columns. */
export function alignPairs(pairs: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(0, ...pairs.map(([left]) => textWidth(left)));
  return pairs.map(([left, right]) => `  ${left}${" ".repeat(width - textWidth(left))}  ${right}`.trimEnd()).join("\n");
}
