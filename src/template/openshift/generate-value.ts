import { InputError } from "#base";

/** A number from 0 up to, but not including, `bound`. */
export type RandomBelow = (bound: number) => number;

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const digits = "0123456789";
const symbols = "~!@#$%^&*()-_+={}[]\\|<,>.?/\"';:`";
const inOrder = letters + digits + symbols;
const classes: Readonly<Record<string, string>> = {
  "\\w": `${letters}${digits}_`,
  "\\d": digits,
  "\\a": letters + digits,
  "\\A": symbols,
};
const longest = 255;
/** A set of characters, and how many of them. */
const quantified = /\[([a-zA-Z0-9\-\\]+)\]\{(\d+)\}/g;
/** A set starts with a class or ends with a range; the rest of it is read as classes and ranges, too. */
const wellFormed = /^\\[wdaA]|[a-zA-Z0-9]-[a-zA-Z0-9]$/;
const item = /\\?[a-zA-Z0-9]-?[a-zA-Z0-9]?/g;

/** Generates a value from the `from` of a parameter: `[a-zA-Z0-9]{8}` becomes eight letters or digits, other text stays. */
export function generateValue(from: string, random: RandomBelow, where: string): string {
  return from.replace(quantified, (written, set: string, count: string) => {
    const length = Number(count);
    if (!wellFormed.test(set)) {
      throw new InputError(`${written} is not a valid range or class`, {
        where,
        next: "write it like [a-z0-9] or [\\w]",
      });
    }
    if (length < 1 || length > longest) {
      throw new InputError(`the length {${count}} is not between 1 and ${longest}`, {
        where,
        next: "choose another length",
      });
    }
    const alphabet = alphabetOf(set, where);
    return Array.from({ length }, () => alphabet[random(alphabet.length)]).join("");
  });
}

function alphabetOf(set: string, where: string): string {
  const parts = Array.from(set.matchAll(item), ([text]) => {
    const [first, last] = [text.charAt(0), text.charAt(text.length - 1)];
    return classes[first + last] ?? rangeOf(first, last, where);
  });
  return [...new Set(parts.join(""))].join("");
}

/** Lower case letters come before upper case ones, those before digits, and those before symbols. */
function rangeOf(first: string, last: string, where: string): string {
  const [begin, end] = [inOrder.indexOf(first), inOrder.indexOf(last)];
  if (begin <= end) return inOrder.slice(begin, end + 1);
  throw new InputError(`the range ${first}-${last} is empty`, { where, next: "write ranges like a-z, A-Z or 0-9" });
}
