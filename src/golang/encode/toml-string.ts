import { quote } from "../value/quote.ts";
import { textEnd, type TomlScanner } from "./toml-scanner.ts";

const escapes = new Map([
  ["b", "\b"],
  ["t", "\t"],
  ["n", "\n"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  ['"', '"'],
  ["\\", "\\"],
]);

const codeLengths = new Map([
  ["x", { digits: 2, words: "two" }],
  ["u", { digits: 4, words: "four" }],
  ["U", { digits: 8, words: "eight" }],
]);

/** Reads a string of any of the four kinds; the scanner stands on its first quote. `isKey` knows only strings of one line. */
export function scanTomlString(scanner: TomlScanner, isKey: boolean): string {
  const mark = scanner.next();
  if (!isKey && scanner.accept(mark)) return scanner.accept(mark) ? scanMultiline(scanner, mark) : "";
  const content = scanLine(scanner, mark);
  return mark === '"' ? replaceEscapes(scanner, content) : content;
}

function scanLine(scanner: TomlScanner, mark: string): string {
  const start = scanner.position;
  for (;;) {
    const character = scanner.next();
    if (character === mark) return scanner.text.slice(start, scanner.position - 1);
    if (character === textEnd) throw scanner.failure(`unexpected EOF; expected ${mark === '"' ? `'"'` : `"'"`}`, true);
    if (character === "\n" || character === "\r") throw scanner.failureBefore("strings cannot contain newlines");
    if (character === "\\" && mark === '"') skipEscape(scanner, start);
  }
}

function scanMultiline(scanner: TomlScanner, mark: string): string {
  const start = scanner.position;
  const three = mark.repeat(3);
  for (;;) {
    const character = scanner.next();
    if (character === textEnd)
      throw scanner.failure(`unexpected EOF; expected ${mark === '"' ? `'"""'` : `"'''"`}`, true);
    if (character === "\\" && mark === '"' && !/^[\n\r]$/.test(scanner.peek())) skipEscape(scanner, start);
    if (character !== mark || !scanner.text.startsWith(three, scanner.position - 1)) continue;
    const content = scanner.text.slice(start, scanner.position - 1);
    if (scanner.text.charAt(scanner.position + 2) === mark) {
      refuseSixQuotes(scanner, content, mark);
      continue;
    }
    scanner.next();
    scanner.next();
    scanner.peek();
    const stripped = content.replace(/^\r?\n/, "");
    return mark === '"' ? replaceEscapes(scanner, stripEscapedBreaks(stripped)) : stripped;
  }
}

/** Up to two quotes may stand before the three that close. */
function refuseSixQuotes(scanner: TomlScanner, content: string, mark: string): void {
  const seen = content + mark.repeat(3);
  const five = mark.repeat(5);
  const isEscaped = mark === '"' && seen.endsWith(`\\${five}`);
  if (!seen.endsWith(five) || isEscaped) return;
  throw scanner.failure(`unexpected ${mark === '"' ? `'${mark.repeat(6)}'` : `"${mark.repeat(6)}"`}`);
}

/** Looks at what follows a backslash; what it means is found later. */
function skipEscape(scanner: TomlScanner, start: number): void {
  const character = scanner.next();
  const code = codeLengths.get(character);
  if (code) {
    for (let count = 0; count < code.digits; count += 1) {
      const digit = scanner.next();
      if (/^[0-9a-fA-F]$/.test(digit)) continue;
      const seen = quote(scanner.text.slice(start, scanner.position));
      throw scanner.failure(
        `expected ${code.words} hexadecimal digits after '\\${character}', but got ${seen} instead`,
        digit === textEnd,
      );
    }
  } else if (!escapes.has(character) && character !== " " && character !== "\t") {
    const problem = `invalid escape in string '\\${character === textEnd ? "\0" : character}'`;
    throw character === textEnd ? scanner.failureBefore(problem) : scanner.failure(problem);
  }
}

/** A backslash at the end of a line takes with it the break and all blanks behind it. */
function stripEscapedBreaks(text: string): string {
  return text.replace(/\\\\|\\[ \t\r]*\n[ \t\r\n]*/g, (part) => (part === "\\\\" ? part : ""));
}

function replaceEscapes(scanner: TomlScanner, text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:x(..)|u(.{4})|U(.{8})|(.))/gsu,
    (_whole, x?: string, u?: string, long?: string, letter = "") => {
      const digits = x ?? u ?? long;
      if (digits !== undefined) return codePoint(scanner, digits);
      const replacement = escapes.get(letter);
      if (replacement === undefined) throw scanner.failure(`invalid escape: '\\${letter}'`);
      return replacement;
    },
  );
}

function codePoint(scanner: TomlScanner, digits: string): string {
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw scanner.failure(`Escaped character '\\u${digits}' is not valid UTF-8.`);
  return String.fromCodePoint(code);
}
