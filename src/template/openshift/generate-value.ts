import { InputError } from "#base";

/** A number from 0 up to, but not including, `bound`. */
export type RandomBelow = (bound: number) => number;

const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const digits = "0123456789";
const symbols = "~!@#$%^&*()-_+={}[]\\|<,>.?/\"';:`";
const classes: Readonly<Record<string, string>> = {
  "\\w": `${lower}${upper}${digits}_`,
  "\\d": digits,
  "\\a": `${lower}${upper}`,
  "\\A": symbols,
};
const longest = 255;
/** A set in brackets, or a class by itself, and how many of them. */
const quantified = /(?:\[([^\]]+)\]|(\\[wdaA]))\{(\d+)\}/g;
const item = /\\[wdaA]|([a-zA-Z0-9])-([a-zA-Z0-9])|[^]/g;

/** What `generate: expression` makes of its `from`: `[a-zA-Z0-9]{8}` becomes eight letters or digits, other text stays. */
export function generateValue(from: string, random: RandomBelow, where: string): string {
  return from.replace(quantified, (_, set: string | undefined, single: string | undefined, count: string) => {
    const length = Number(count);
    if (length < 1 || length > longest) {
      throw new InputError(`the length {${count}} is not between 1 and ${longest}`, {
        where,
        next: "choose another length",
      });
    }
    const alphabet = alphabetOf(set ?? single ?? "", where);
    return Array.from({ length }, () => alphabet[random(alphabet.length)]).join("");
  });
}

function alphabetOf(set: string, where: string): string {
  let alphabet = "";
  for (const [text, first, last] of set.matchAll(item)) {
    if (first !== undefined && last !== undefined) alphabet += rangeOf(first, last, where);
    else alphabet += classes[text] ?? text;
  }
  return [...new Set(alphabet)].join("");
}

function rangeOf(first: string, last: string, where: string): string {
  const line = [lower, upper, digits].find((candidate) => candidate.includes(first) && candidate.includes(last));
  const begin = line?.indexOf(first) ?? 0;
  const end = line?.indexOf(last) ?? -1;
  if (line === undefined || end < begin) {
    throw new InputError(`the range ${first}-${last} is empty`, { where, next: "write ranges like a-z, A-Z or 0-9" });
  }
  return line.slice(begin, end + 1);
}
