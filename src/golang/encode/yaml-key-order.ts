import { isUnicodeDigit, isUnicodeLetter } from "../unicode/printable.ts";

/**
 * The order in which goyaml.v2 writes keys: letters behind everything else, and numbers inside of keys by their value,
 * so that `port2` comes before `port10`.
 */
export function compareYamlKeys(left: string, right: string): number {
  return compare(left, right, false);
}

/** The order of goyaml.v3, in which a letter behind a digit comes before everything else. */
export function compareYaml3Keys(left: string, right: string): number {
  return compare(left, right, true);
}

function compare(left: string, right: string, lettersFollowDigits: boolean): number {
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  if (at === length) return left.length - right.length;
  const a = left.charCodeAt(at);
  const b = right.charCodeAt(at);
  if (isAsciiLetter(a) && isAsciiLetter(b)) return a - b;
  return compareAt(left, right, isTrail(a) && isTrail(b) ? at - 1 : at, lettersFollowDigits);
}

function isAsciiLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** The second half of a character beyond 16 bits. */
function isTrail(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Compares where the keys differ first. */
function compareAt(left: string, right: string, at: number, lettersFollowDigits: boolean): number {
  const a = left.codePointAt(at) ?? 0;
  const b = right.codePointAt(at) ?? 0;
  const isLeftLetter = isUnicodeLetter(a);
  const isRightLetter = isUnicodeLetter(b);
  if (isLeftLetter && isRightLetter) return a - b;
  if (isLeftLetter || isRightLetter) {
    const isReversed = lettersFollowDigits && at > 0 && isUnicodeDigit(codePointBefore(left, at));
    return isRightLetter === isReversed ? 1 : -1;
  }
  // A zero that continues a number counts as a digit of it, not as a leading one.
  const start = (a === 0x30 || b === 0x30) && continuesNumber(left, at) ? 1n : 0n;
  const leftNumber = numberAt(left, at, start);
  const rightNumber = numberAt(right, at, start);
  if (leftNumber.value !== rightNumber.value) return leftNumber.value < rightNumber.value ? -1 : 1;
  return leftNumber.digits - rightNumber.digits || a - b;
}

function codePointBefore(text: string, at: number): number {
  return text.codePointAt(isTrail(text.charCodeAt(at - 1)) ? at - 2 : at - 1) ?? 0;
}

function continuesNumber(text: string, at: number): boolean {
  for (const character of Array.from(text.slice(0, at)).toReversed()) {
    if (!isUnicodeDigit(character.codePointAt(0) ?? 0)) return false;
    if (character !== "0") return true;
  }
  return false;
}

/** Go computes it in 64 bits, with digits of all scripts, each by its distance from `0`. */
function numberAt(text: string, at: number, start: bigint): { readonly value: bigint; readonly digits: number } {
  let value = start;
  let digits = 0;
  for (const character of text.slice(at)) {
    const code = character.codePointAt(0) ?? 0;
    if (!isUnicodeDigit(code)) break;
    value = BigInt.asIntN(64, value * 10n + BigInt(code - 0x30));
    digits += 1;
  }
  return { value, digits };
}
