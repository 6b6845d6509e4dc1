import { isDigit, isLetter, isPrintable } from "#golang";

/** What may stand around words, and what trim markers trim. */
export function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\r" || character === "\n";
}

/** What names are made of. */
export function isAlphanumeric(code: number): boolean {
  return code === 0x5f || isLetter(code) || isDigit(code);
}

/** As messages show it. */
export function describeCharacter(code: number): string {
  const shown = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
  const text = `U+${shown.toString(16).toUpperCase().padStart(4, "0")}`;
  return isPrintable(shown) ? `${text} '${String.fromCodePoint(shown)}'` : text;
}
