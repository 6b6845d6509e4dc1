/** The position of the translation in a regular expression. */
export interface RegExpCursor {
  readonly characters: readonly string[];
  at: number;
  readonly isUnicode: boolean;
  readonly ignoresCase: boolean;
  readonly dotMatchesAll: boolean;
}

/** A part of a pattern; `matchesHalves` if, without the flag u, it matches half of a character beyond U+FFFF. */
export interface RegExpPart {
  readonly pattern: string;
  readonly matchesHalves: boolean;
}

/** A feature of JavaScript's regular expressions that RE2 does not support. */
export class Untranslatable extends Error {
  readonly next: string;

  constructor(what: string, next: string) {
    super(what);
    this.next = next;
  }
}

/** A pattern that matches exactly this character. */
export function literalPattern(character: string, ignoresCase: boolean): string {
  const written = characterOf(character.codePointAt(0) ?? 0);
  return ignoresCase && hasCase(character) ? `[${bothCases(character)}]` : written;
}

/** A code point as RE2 writes it, in and outside of classes. */
export function characterOf(codePoint: number): string {
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) {
    throw new Untranslatable("half of a character beyond U+FFFF", "add the flag u");
  }
  const character = String.fromCodePoint(codePoint);
  if (/[\p{L}\p{N}_ ]/u.test(character)) return character;
  if (/[!-~]/.test(character)) return /[/"'#%&,:;<=>@`~!]/.test(character) ? character : `\\${character}`;
  return `\\x{${codePoint.toString(16)}}`;
}

/**
 * Only ASCII letters: JavaScript and RE2 disagree about the case of others, such as the Kelvin sign and k.
 */
export function bothCases(character: string): string {
  if (!/[A-Za-z]/.test(character)) {
    throw new Untranslatable(`the case of ${character}`, "leave out the flag i and write both cases, such as [äÄ]");
  }
  return `${character.toLowerCase()}${character.toUpperCase()}`;
}

export function hasCase(character: string): boolean {
  return character.toLowerCase() !== character.toUpperCase();
}
