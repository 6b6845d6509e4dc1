import { canonicalBytes } from "./bytes.ts";
import { isPrintable } from "../unicode/printable.ts";

const needsNoEscape = /^[ !#-[\]-~]*$/;
const replacement = 0xfffd;

const shortEscapes: ReadonlyMap<number, string> = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x0c, "\\f"],
  [0x0a, "\\n"],
  [0x0d, "\\r"],
  [0x09, "\\t"],
  [0x0b, "\\v"],
]);

/** Go's `strconv.Quote`, or `strconv.QuoteToASCII`. */
export function quote(text: string, { ascii = false } = {}): string {
  if (needsNoEscape.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    quoted += isStrayByte(code) ? hex("\\x", code - 0xdc00, 2) : escaped(code, 0x22, ascii);
  }
  return `${quoted}"`;
}

/** Go's `strconv.QuoteRune`, or `strconv.QuoteRuneToASCII`: a character constant. */
export function quoteRune(codePoint: number, { ascii = false } = {}): string {
  return `'${escaped(isValidRune(codePoint) ? codePoint : replacement, 0x27, ascii)}'`;
}

/** Go's `strconv.CanBackquote`: whether the text can stand between backquotes on one line. */
export function canBackquote(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return text.isWellFormed() && !/[\u0000-\u0008\u000a-\u001f`\u007f\ufeff]/.test(text);
}

function isStrayByte(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff;
}

function isValidRune(codePoint: number): boolean {
  return codePoint >= 0 && codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff);
}

function hex(prefix: string, value: number, digits: number): string {
  return prefix + value.toString(16).padStart(digits, "0");
}

function escaped(code: number, quoteMark: number, ascii: boolean): string {
  if (code === quoteMark || code === 0x5c) return `\\${String.fromCharCode(code)}`;
  if (isPrintable(code) && !(ascii && code >= 0x80)) return String.fromCodePoint(code);
  const short = shortEscapes.get(code);
  if (short !== undefined) return short;
  if (code < 0x20 || code === 0x7f) return hex("\\x", code, 2);
  if (!isValidRune(code)) return hex("\\u", replacement, 4);
  return code < 0x1_0000 ? hex("\\u", code, 4) : hex("\\U", code, 8);
}

/** Go's `strconv.Unquote` of a literal in double quotes or backquotes; `undefined` if its syntax is wrong. */
export function unquote(literal: string): string | undefined {
  const mark = literal[0];
  if (literal.length < 2 || !literal.endsWith(mark ?? "")) return undefined;
  const inner = literal.slice(1, -1);
  if (mark === "`") return inner.includes("`") ? undefined : inner.replaceAll("\r", "");
  if (mark !== '"') return undefined;
  if (!inner.includes("\\") && !inner.includes('"') && !inner.includes("\n")) return inner.toWellFormed();
  let text = "";
  for (let at = 0; at < inner.length; ) {
    const character = inner[at] === "\n" ? undefined : unquoteCharacter(inner, at, '"');
    if (character === undefined) return undefined;
    const { value, isByte } = character;
    text += isByte && value >= 0x80 ? String.fromCharCode(0xdc00 + value) : String.fromCodePoint(value);
    at = character.end;
  }
  return canonicalBytes(text);
}

/** One character of a literal, escaped or not. */
export interface UnquotedCharacter {
  readonly value: number;
  /** The value is a byte that need not be UTF-8: `\xff`, `\377`. */
  readonly isByte: boolean;
  readonly end: number;
}

const escapeValues: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  v: 0x0b,
  "\\": 0x5c,
};
const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Go's `strconv.UnquoteChar` at an offset in `text`; `undefined` if the syntax is wrong there. */
export function unquoteCharacter(text: string, at: number, quoteMark: string): UnquotedCharacter | undefined {
  const code = text.codePointAt(at);
  if (code === undefined || text[at] === quoteMark) return undefined;
  if (text[at] !== "\\") {
    const isBroken = code >= 0xd800 && code <= 0xdfff;
    return { value: isBroken ? replacement : code, isByte: code < 0x80, end: at + (code > 0xffff ? 2 : 1) };
  }
  const letter = text[at + 1];
  if (letter === undefined) return undefined;
  const simple = letter === quoteMark ? letter.charCodeAt(0) : escapeValues[letter];
  if (simple !== undefined) return { value: simple, isByte: true, end: at + 2 };
  if (/[0-7]/.test(letter)) return unquoteDigits(text, at + 1, 3, 8, true);
  const length = hexLengths[letter];
  return length === undefined ? undefined : unquoteDigits(text, at + 2, length, 16, letter === "x");
}

function unquoteDigits(
  text: string,
  at: number,
  length: number,
  base: 8 | 16,
  isByte: boolean,
): UnquotedCharacter | undefined {
  const digits = text.slice(at, at + length);
  if (digits.length < length || !(base === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/).test(digits)) return undefined;
  const value = Number.parseInt(digits, base);
  if (isByte ? value > 255 : !isValidRune(value)) return undefined;
  return { value, isByte, end: at + length };
}
