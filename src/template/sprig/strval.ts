import { type Budget, Bytes, elementsOf, fromBytes, type GoValue, printValue } from "#golang";

/** The text of a value: as `%v` prints it, but bytes as the text they are. */
export function strval(value: GoValue, budget?: Budget): string {
  if (typeof value === "string") return value;
  return value instanceof Bytes ? fromBytes(value.bytes) : printValue(value, budget);
}

/** The texts of a list's elements without nils; of anything else, its own text. */
export function strslice(value: GoValue, budget?: Budget): readonly string[] {
  const elements = elementsOf(value)?.filter((element) => element !== null && element !== undefined);
  budget?.makeList(elements?.length ?? 0, 64);
  if (elements) return elements.map((element) => strval(element, budget));
  return value === null || value === undefined ? [] : [strval(value, budget)];
}
