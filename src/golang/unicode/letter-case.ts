import { isPrintable } from "./printable.ts";

/**
 * Go's `unicode.ToUpper`. Go maps one character to one; where JavaScript gives several (ß to SS) Go leaves it as it is,
 * but for the Greek letters with an iota below, whose capitals are one character too.
 */
export function toUpper(codePoint: number): number {
  if (codePoint >= 0x1f80 && codePoint <= 0x1ff3) {
    if (codePoint <= 0x1faf) return codePoint | 8;
    if (codePoint === 0x1fb3 || codePoint === 0x1fc3 || codePoint === 0x1ff3) return codePoint + 9;
  }
  return single(codePoint, String.fromCodePoint(codePoint).toUpperCase());
}

export function toLower(codePoint: number): number {
  return codePoint === 0x130 ? 0x69 : single(codePoint, String.fromCodePoint(codePoint).toLowerCase());
}

/** Go's `unicode.ToTitle`: the capital at the beginning of a word. */
export function toTitle(codePoint: number): number {
  if (codePoint >= 0x1c4 && codePoint <= 0x1cc) return 0x1c5 + 3 * Math.floor((codePoint - 0x1c4) / 3);
  if (codePoint >= 0x1f1 && codePoint <= 0x1f3) return 0x1f2;
  // Georgian has capitals, but no titles.
  if (codePoint >= 0x10d0 && codePoint <= 0x10ff) return codePoint;
  return toUpper(codePoint);
}

/** Node's Unicode is newer than Go's: a letter that Go does not know yet has no other case, and is the other case of none. */
function single(codePoint: number, text: string): number {
  const mapped = text.codePointAt(0) ?? 0;
  const isOne = text.length === (mapped > 0xffff ? 2 : 1);
  return isOne && mapped !== codePoint && isPrintable(mapped) && isPrintable(codePoint) ? mapped : codePoint;
}

// oxlint-disable-next-line no-control-regex
const ascii = /^[\0-\x7f]*$/;

/** Go's `strings.ToUpper`. */
export function upperText(text: string): string {
  return ascii.test(text) ? text.toUpperCase() : mapText(text, toUpper);
}

/** Go's `strings.ToLower`. */
export function lowerText(text: string): string {
  return ascii.test(text) ? text.toLowerCase() : mapText(text, toLower);
}

/** Go's `strings.Map`, and its `[]rune(text)` and back: bytes that are not UTF-8 come out as U+FFFD. */
export function mapText(text: string, map: (codePoint: number) => number): string {
  // Pieces, since a text that grows by characters keeps each of them in memory until it is read.
  const pieces: string[] = [];
  let piece: string[] = [];
  for (const character of text.toWellFormed()) {
    piece.push(String.fromCodePoint(map(character.codePointAt(0) ?? 0)));
    if (piece.length < 4_096) continue;
    pieces.push(piece.join(""));
    piece = [];
  }
  return pieces.join("") + piece.join("");
}
