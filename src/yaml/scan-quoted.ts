import { hexValue, isBlank, isBlankOrEnd, isBreak } from "./characters.ts";
import type { Cursor } from "./cursor.ts";

const doubleQuote = 0x22;
const backslash = 0x5c;

/** What `\` and a character stand for in double quotes. YAML 1.1 does not know `\/`, though JSON does and libyaml reads it. */
const escapes = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["N", "\x85"],
  ["_", "\xa0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);

const escapedDigits = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** Reads a scalar in single or double quotes; the cursor stands on the opening one. */
export function scanQuoted(cursor: Cursor): string {
  const { text } = cursor;
  const quote = cursor.code();
  cursor.position += 1;
  const start = cursor.position;
  let at = start;
  let code = text.charCodeAt(at);
  while (code !== quote && code !== backslash && code > 0x1f && !isBreak(code)) {
    at += 1;
    code = text.charCodeAt(at);
  }
  if (code === quote && (quote === doubleQuote || text.charCodeAt(at + 1) !== quote)) {
    cursor.position = at + 1;
    return text.slice(start, at);
  }
  return scanPieces(cursor, quote);
}

function scanPieces(cursor: Cursor, quote: number): string {
  let value = "";
  for (;;) {
    if (cursor.atDocumentMarker()) throw cursor.failure("found unexpected document indicator");
    if (cursor.code() === 0) throw cursor.failure("found unexpected end of stream");
    const [piece, brokeLine] = takePiece(cursor, quote);
    value += piece;
    if (cursor.code() === quote) {
      cursor.position += 1;
      return value;
    }
    value += takeBlanks(cursor, brokeLine);
  }
}

/** Characters up to the next blank, line break or closing quote; the second value tells of an escaped line break. */
function takePiece(cursor: Cursor, quote: number): readonly [string, boolean] {
  let piece = "";
  let start = cursor.position;
  for (;;) {
    const code = cursor.code();
    const isDoubled = code === quote && quote !== doubleQuote && cursor.code(1) === quote;
    if (isBlankOrEnd(code) || (code === quote && !isDoubled)) break;
    if (isDoubled) {
      piece += cursor.text.slice(start, cursor.position + 1);
      cursor.position += 2;
      start = cursor.position;
    } else if (code === backslash && quote === doubleQuote) {
      piece += cursor.text.slice(start, cursor.position);
      if (isBreak(cursor.code(1))) {
        cursor.position += 1;
        cursor.takeBreak();
        return [piece, true];
      }
      piece += takeEscape(cursor);
      start = cursor.position;
    } else {
      cursor.position += 1;
    }
  }
  return [piece + cursor.text.slice(start, cursor.position), false];
}

function takeEscape(cursor: Cursor): string {
  const character = cursor.text.charAt(cursor.position + 1);
  const simple = escapes.get(character) ?? (cursor.isLibyaml && character === "/" ? "/" : undefined);
  const digits = escapedDigits.get(character);
  if (simple === undefined && digits === undefined) throw cursor.failure("found unknown escape character");
  cursor.position += 2;
  return simple ?? takeCodePoint(cursor, digits ?? 0);
}

function takeCodePoint(cursor: Cursor, digits: number): string {
  let value = 0;
  for (let at = 0; at < digits; at += 1) {
    const digit = hexValue(cursor.code(at));
    if (digit < 0) throw cursor.failure("did not find expected hexdecimal number");
    value = value * 16 + digit;
  }
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
    throw cursor.failure("found invalid Unicode character escape code");
  cursor.position += digits;
  return String.fromCodePoint(value);
}

/** Blanks stay, unless a line ends among them: then one line feed is a space and further ones stay. */
function takeBlanks(cursor: Cursor, afterEscapedBreak: boolean): string {
  let blanks = "";
  let first = "";
  let rest = "";
  let brokeLine = afterEscapedBreak;
  for (;;) {
    const code = cursor.code();
    if (isBlank(code)) {
      if (!brokeLine) blanks += String.fromCharCode(code);
      cursor.position += 1;
    } else if (isBreak(code)) {
      if (brokeLine) rest += cursor.takeBreak();
      else first = cursor.takeBreak();
      brokeLine = true;
    } else {
      break;
    }
  }
  if (!brokeLine) return blanks;
  if (first !== "\n") return first + rest;
  return rest === "" ? " " : rest;
}
