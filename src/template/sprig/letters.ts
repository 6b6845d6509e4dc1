import { randomInt } from "node:crypto";
import {
  type GoFunction,
  goFunction,
  isUnicodeDigit,
  isUnicodeLetter,
  isLower,
  isUnicodeSpace,
  isTitle,
  isUpper,
  lowerText,
  mapText,
  toLower,
  toTitle,
  toUpper,
  upperText,
} from "#golang";
import { keepingPlace } from "../keeps-place.ts";
import { toByteText } from "./byte-text.ts";
import { toCamelCase, toDelimitedCase } from "./word-case.ts";

/** Changes the case of letters, or selects letters. */
export const letters: Record<string, GoFunction> = {
  upper: keepingPlace(
    goFunction(["string"], ([text], { budget }) => {
      budget.make(text.length);
      return upperText(text);
    }),
  ),
  lower: keepingPlace(
    goFunction(["string"], ([text], { budget }) => {
      budget.make(text.length);
      return lowerText(text);
    }),
  ),
  title: keepingPlace(changing(titleText)),
  untitle: changing(untitleText),
  swapcase: changing(swapCase),
  camelcase: changing((text) => toCamelCase(text, { lowersCapitals: true })),
  kebabcase: changing((text) => toDelimitedCase(text, "-")),
  snakecase: changing((text) => toDelimitedCase(text, "_")),
  initials: changing(initials),
  nospace: changing(withoutSpace),
  shuffle: changing(shuffle, { unstable: true }),
};

/** The functions that differ in sprig 2.22. */
export const plugLetters: Record<string, GoFunction> = {
  camelcase: changing((text) => toCamelCase(text, { lowersCapitals: false })),
};

function changing(change: (text: string) => string, traits: { readonly unstable?: boolean } = {}): GoFunction {
  return goFunction(
    ["string"],
    ([text], { budget }) => {
      budget.takeApart(text);
      return change(text);
    },
    traits,
  );
}

/** Go's `strings.Title`: a word begins behind what is neither letter, digit nor underscore. */
function titleText(text: string): string {
  let previous = 0x20;
  return mapText(text, (code) => {
    const mapped = isSeparator(previous) ? toTitle(code) : code;
    previous = code;
    return mapped;
  });
}

function isSeparator(code: number): boolean {
  if (code === 0x5f || isUnicodeLetter(code) || isUnicodeDigit(code)) return false;
  return code < 0x80 || isUnicodeSpace(code);
}

function untitleText(text: string): string {
  let isFirst = true;
  return mapText(text, (code) => {
    if (isUnicodeSpace(code)) isFirst = true;
    else if (isFirst) {
      isFirst = false;
      return toLower(code);
    }
    return code;
  });
}

/** A small letter at the beginning of a word gets its title, others their capital. */
function swapCase(text: string): string {
  let isFirst = true;
  return mapText(text, (code) => {
    if (isLower(code)) {
      const mapped = isFirst ? toTitle(code) : toUpper(code);
      isFirst = false;
      return mapped;
    }
    isFirst = !(isUpper(code) || isTitle(code)) && isUnicodeSpace(code);
    return isUpper(code) || isTitle(code) ? toLower(code) : code;
  });
}

/** Reads bytes and writes each as the character of that number, as goutils does, which is right for ASCII only. */
function initials(text: string): string {
  let picked = "";
  let isFirst = true;
  for (const byte of toByteText(text)) {
    const isGap = isUnicodeSpace(byte.charCodeAt(0));
    if (isFirst && !isGap) picked += byte;
    isFirst = isGap;
  }
  return picked;
}

/** Like `initials` it takes bytes for characters, but leaves a text alone that has no space. */
function withoutSpace(text: string): string {
  const bytes = toByteText(text);
  // oxlint-disable-next-line no-control-regex
  const kept = bytes.replaceAll(/[\t-\r \x85\xa0]/g, "");
  return kept.length === bytes.length ? text : kept;
}

function shuffle(text: string): string {
  const characters = Array.from(text.toWellFormed());
  for (let at = characters.length - 1; at > 0; at -= 1) {
    const other = randomInt(at + 1);
    [characters[at], characters[other]] = [characters[other] ?? "", characters[at] ?? ""];
  }
  return characters.join("");
}
