import { isPrintable } from "./printable.ts";

const number = /^\p{N}$/u;
const upper = /^\p{Lu}$/u;
// U+0295 was a small letter until Unicode 16.
const lower = /^[\p{Ll}\u0295]$/u;
const title = /^\p{Lt}$/u;
const punctuation = /^\p{P}$/u;

/** Node's Unicode is newer than Go's: what Go does not know yet is of no class. */
function isOf(expression: RegExp, codePoint: number): boolean {
  return expression.test(String.fromCodePoint(codePoint)) && isPrintable(codePoint);
}

/** Go's `unicode.IsNumber`: digits, and numerals such as ½ and Ⅷ. */
export function isNumber(codePoint: number): boolean {
  return isOf(number, codePoint);
}

export function isUpper(codePoint: number): boolean {
  return isOf(upper, codePoint);
}

export function isLower(codePoint: number): boolean {
  return isOf(lower, codePoint);
}

/** Go's `unicode.IsTitle`: the few letters such as ǅ. */
export function isTitle(codePoint: number): boolean {
  return isOf(title, codePoint);
}

export function isPunctuation(codePoint: number): boolean {
  return isOf(punctuation, codePoint);
}

/** Go's `unicode.IsSpace`: JavaScript's `\s` lacks U+0085 and has U+FEFF. */
export function isUnicodeSpace(codePoint: number): boolean {
  if (codePoint < 0x80) return codePoint === 0x20 || (codePoint >= 0x09 && codePoint <= 0x0d);
  if (codePoint < 0x1680) return codePoint === 0x85 || codePoint === 0xa0;
  if (codePoint < 0x2000) return codePoint === 0x1680;
  if (codePoint <= 0x200a) return true;
  return [0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(codePoint);
}

/** Go's `strings.TrimSpace`. JavaScript's `trim` lacks U+0085, and takes away U+FEFF. */
export function trimSpace(text: string): string {
  let begin = 0;
  let end = text.length;
  while (begin < end && isUnicodeSpace(text.charCodeAt(begin))) begin += 1;
  while (end > begin && isUnicodeSpace(text.charCodeAt(end - 1))) end -= 1;
  return begin === 0 && end === text.length ? text : text.slice(begin, end);
}
