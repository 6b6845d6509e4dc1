import { scalarStyle, type YamlStyle } from "./scalar-style.ts";

/** Where a string is written. */
export interface ScalarPosition {
  /** How many characters stand before it on its line. */
  readonly column: number;
  /** The column at which its further lines begin. */
  readonly indent: number;
  /** It must stay on one line. */
  readonly isSimpleKey: boolean;
  readonly style: YamlStyle;
}

/** A text that is folded goes on in a new line at the first space behind this column. */
const bestWidth = 80;

/** A string as goyaml writes it, without what stands before it. */
export function writeScalar(text: string, position: ScalarPosition): string {
  const style = scalarStyle(text, position.style);
  if (style === "plain") return mayFold(text, position) ? foldPlain(text, position) : text;
  if (style === "single") return singleQuoted(text, position);
  return style === "double" ? doubleQuoted(text, position) : literalBlock(text, position.indent);
}

function mayFold(text: string, { column, isSimpleKey, style }: ScalarPosition): boolean {
  return !isSimpleKey && style.foldsLines && column + text.length > bestWidth && text.includes(" ");
}

/** Text that is broken into lines, with the column in which it ends. */
class FoldedText {
  readonly #position: ScalarPosition;
  #text = "";
  #column: number;

  constructor(position: ScalarPosition) {
    this.#position = position;
    this.#column = position.column;
  }

  get isFull(): boolean {
    const { isSimpleKey, style } = this.#position;
    return !isSimpleKey && style.foldsLines && this.#column > bestWidth;
  }

  add(text: string): void {
    this.#text += text;
    this.#column += text.length;
  }

  break(lineBreak: string): void {
    this.#text += lineBreak;
    this.#column = 0;
  }

  indent(): void {
    this.add(" ".repeat(this.#position.indent - this.#column));
  }

  toString(): string {
    return this.#text;
  }
}

/** A space becomes a line break where the line is full, unless another space is beside it. */
function foldPlain(text: string, position: ScalarPosition): string {
  const folded = new FoldedText(position);
  let wasSpace = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const isSpace = character === " ";
    if (isSpace && !wasSpace && folded.isFull && text.charAt(at + 1) !== " ") {
      folded.break("\n");
      folded.indent();
    } else {
      folded.add(character);
    }
    wasSpace = isSpace;
  }
  return folded.toString();
}

function singleQuoted(text: string, position: ScalarPosition): string {
  if (!mayFold(text, position) && !/[\u2028\u2029]/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  const folded = new FoldedText(position);
  folded.add("'");
  let wasSpace = false;
  let wasBreak = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    const isSpace = character === " ";
    const isBreak = character === "\u2028" || character === "\u2029";
    if (isBreak) {
      folded.break(character);
    } else if (isSpace && !wasSpace && folded.isFull && at > 0 && next !== "" && next !== " ") {
      folded.break("\n");
      folded.indent();
    } else {
      if (wasBreak) folded.indent();
      folded.add(character === "'" ? "''" : character);
    }
    if (!isBreak) wasSpace = isSpace;
    wasBreak = isBreak;
  }
  return `${folded.toString()}'`;
}

const shortEscapes = new Map([
  [0x00, "\\0"],
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0b, "\\v"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x1b, "\\e"],
  [0x22, '\\"'],
  [0x5c, "\\\\"],
  [0x85, "\\N"],
  [0xa0, "\\_"],
  [0x2028, "\\L"],
  [0x2029, "\\P"],
]);

/** What stays as it is in double quotes. */
const harmless = /^[\x20\x21\x23-\x5b\x5d-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/;

function doubleQuoted(text: string, position: ScalarPosition): string {
  // By a slip of goyaml, a byte order mark at the beginning makes it escape everything.
  const escapesAll = text.startsWith("\ufeff");
  const characters = Array.from(text);
  const folded = new FoldedText(position);
  folded.add('"');
  let wasSpace = false;
  for (const [at, character] of characters.entries()) {
    const isSpace = character === " " && !escapesAll;
    const isInner = at > 0 && at < characters.length - 1;
    if (isSpace && !wasSpace && folded.isFull && isInner) {
      folded.break("\n");
      folded.indent();
      if (characters[at + 1] === " ") folded.add("\\");
    } else {
      folded.add(escapesAll || !harmless.test(character) ? escape(character) : character);
    }
    wasSpace = isSpace;
  }
  return `${folded.toString()}"`;
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code <= 0xff ? 2 : code <= 0xffff ? 4 : 8;
  const letter = code <= 0xff ? "x" : code <= 0xffff ? "u" : "U";
  return shortEscapes.get(code) ?? `\\${letter}${code.toString(16).toUpperCase().padStart(digits, "0")}`;
}

/** Line by line as it is. The digit says how far it is indented, where its first line does not show it. */
export function literalBlock(text: string, indent: number): string {
  const hint = /^[ \n\u2028\u2029]/.test(text) ? "2" : "";
  const chomping = /[^\n\u2028\u2029]$/.test(text) ? "-" : /(?:^|[\n\u2028\u2029]).$/su.test(text) ? "+" : "";
  const lines = text.replace(/(^|[\n\u2028\u2029])(?=[^\n\u2028\u2029])/g, `$1${" ".repeat(indent)}`);
  return `|${hint}${chomping}\n${lines}`;
}
