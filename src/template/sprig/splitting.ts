import {
  type Budget,
  compareStrings,
  type GoFunction,
  goFunction,
  GoMap,
  canonicalBytes,
  kindName,
  Slice,
  TypedNil,
} from "#golang";
import { keepingPlace } from "../keeps-place.ts";
import { fromByteText, toByteText } from "./byte-text.ts";
import { strslice, strval } from "./strval.ts";

/** Splits and joins texts. */
export const splitting: Record<string, GoFunction> = {
  split: keepingPlace(
    goFunction(["string", "string"], ([separator, text], { budget }) =>
      numbered(splitText(text, separator, budget), budget),
    ),
  ),
  splitn: goFunction(["string", "int", "string"], ([separator, count, text], { budget }) =>
    numbered(splitText(text, separator, budget, Number(count)), budget),
  ),
  splitList: keepingPlace(
    goFunction(
      ["string", "string"],
      ([separator, text], { budget }) => new Slice("string", splitText(text, separator, budget)),
    ),
  ),
  join: keepingPlace(
    goFunction(["string", "any"], ([separator, list], { budget }) => {
      const texts = strslice(list, budget);
      budget.make(texts.reduce((size, text) => size + text.length + separator.length, 0));
      return canonicalBytes(texts.join(separator));
    }),
  ),
  toStrings: goFunction(["any"], ([list], { budget }) => new Slice("string", strslice(list, budget))),
  sortAlpha: goFunction(["any"], ([list], { budget }) => {
    if (list instanceof TypedNil && list.type === "[]string") return list;
    if (kindName(list) !== "slice") return new Slice("string", [strval(list, budget)]);
    const texts = strslice(list, budget).toSorted(compareStrings);
    // Go sorts in place: a []string argument is sorted, too.
    if (list instanceof Slice && list.element === "string") Object.assign(list.items, texts);
    return new Slice("string", texts);
  }),
};

/** Go's `strings.SplitN`; a negative count is any number. */
function splitText(text: string, separator: string, budget: Budget, count = -1): string[] {
  if (separator === "") budget.makeList(text.length);
  const parts = separator.isWellFormed()
    ? splitPlain(text, separator, count)
    : splitPlain(toByteText(text), toByteText(separator), count).map((part) => fromByteText(part));
  budget.makeList(parts.length, 32);
  return parts;
}

function splitPlain(text: string, separator: string, count: number): string[] {
  if (count === 0) return [];
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  if (count < 0 || parts.length <= count) return parts;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

/** `_0`, `_1`, … */
function numbered(parts: readonly string[], budget: Budget): GoMap {
  budget.makeList(parts.length, 64);
  return new GoMap("string", "string", new Map(parts.map((part, index) => [`_${index}`, part])));
}
