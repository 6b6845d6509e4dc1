import { compareStrings, type GoFunction, GoMap, goFunction, joined, kindName, Slice } from "../go-value/index.ts";
import { fromByteText, toByteText } from "./byte-text.ts";
import { strslice, strval } from "./strval.ts";

/** Takes texts apart and puts them together. */
export const splitting: Record<string, GoFunction> = {
  split: goFunction(["string", "string"], ([separator, text]) => numbered(splitText(text, separator))),
  splitn: goFunction(["string", "int", "string"], ([separator, count, text]) =>
    numbered(splitText(text, separator, Number(count))),
  ),
  splitList: goFunction(["string", "string"], ([separator, text]) => new Slice("string", splitText(text, separator))),
  join: goFunction(["string", "any"], ([separator, list], { budget }) => {
    const texts = strslice(list, budget);
    budget.make(texts.reduce((size, text) => size + text.length + separator.length, 0));
    return joined(texts.join(separator));
  }),
  toStrings: goFunction(["any"], ([list], { budget }) => new Slice("string", strslice(list, budget))),
  sortAlpha: goFunction(["any"], ([list], { budget }) => {
    if (kindName(list) !== "slice") return new Slice("string", [strval(list, budget)]);
    const texts = strslice(list, budget).toSorted(compareStrings);
    budget.make(texts.length);
    // Go sorts where the texts are: a []string that was given is sorted too.
    if (list instanceof Slice && list.element === "string") Object.assign(list.items, texts);
    return new Slice("string", texts);
  }),
};

/** Go's `strings.SplitN`; a negative count is any number. */
function splitText(text: string, separator: string, count = -1): string[] {
  if (!separator.isWellFormed())
    return splitPlain(toByteText(text), toByteText(separator), count).map((part) => fromByteText(part));
  return splitPlain(text, separator, count);
}

function splitPlain(text: string, separator: string, count: number): string[] {
  if (count === 0) return [];
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  if (count < 0 || parts.length <= count) return parts;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

/** `_0`, `_1`, … */
function numbered(parts: readonly string[]): GoMap {
  return new GoMap("string", "string", new Map(parts.map((part, index) => [`_${index}`, part])));
}
