import { byteLength, isUnicodeDigit, isUnicodeLetter, isPrintable, quote, sprintf } from "#golang";

const keywords = [
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "nil",
  "range",
  "template",
  "with",
] as const;

export type Keyword = (typeof keywords)[number];

export type TokenType =
  | "error"
  | "bool"
  | "char"
  | "charConstant"
  | "complex"
  | "assign"
  | "declare"
  | "eof"
  | "field"
  | "identifier"
  | "leftDelim"
  | "leftParen"
  | "number"
  | "pipe"
  | "rawString"
  | "rightDelim"
  | "rightParen"
  | "space"
  | "string"
  | "text"
  | "variable"
  | "dot"
  | Keyword;

export interface TemplateToken {
  readonly type: TokenType;
  /** Where it begins in the text. */
  readonly position: number;
  readonly text: string;
  /** The line it begins on, from 1. */
  readonly line: number;
}

const words: ReadonlySet<string> = new Set(keywords);

function isKeyword(word: string): word is Keyword {
  return words.has(word);
}

/** As messages show it. */
export function describeToken({ type, text }: TemplateToken): string {
  if (type === "eof") return "EOF";
  if (type === "error") return text;
  if (type === "dot" || isKeyword(type)) return `<${text}>`;
  if (byteLength(text) > 10) return sprintf("%.10q...", [text]);
  return quote(text);
}

/** The characters around words, which trim markers trim. */
function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\r" || character === "\n";
}

/** A character of a name. */
function isAlphanumeric(code: number): boolean {
  return code === 0x5f || isUnicodeLetter(code) || isUnicodeDigit(code);
}

/** As messages show it. */
function describeCharacter(code: number): string {
  const shown = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
  const text = `U+${shown.toString(16).toUpperCase().padStart(4, "0")}`;
  return isPrintable(shown) ? `${text} '${String.fromCodePoint(shown)}'` : text;
}

export interface LexerOptions {
  readonly left: string;
  readonly right: string;
  /** `break` and `continue` are keywords unless functions have these names. */
  readonly isFunction: (name: string) => boolean;
  /** `endif`, `endrange`, `endwith`, `endblock` and `enddefine` are spellings of `end`. */
  readonly endWords: boolean;
}

const endSpellings: ReadonlySet<string> = new Set(["endif", "endrange", "endwith", "endblock", "enddefine"]);
const spacesAhead = /[ \t\r\n]*/y;
const asciiWord = /\w*/y;
const quoted = /[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"/y;
const quotedCharacter = /[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'/y;
/** As generous as Go's: an invalid number fails when it is converted. */
const number =
  /[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)i?/y;

/** Splits a template's text into tokens. Tokens after an error token mean nothing. */
export class Lexer {
  readonly #text: string;
  readonly #options: LexerOptions;
  #at = 0;
  #start = 0;
  #line = 1;
  #nextNewline: number;
  #insideAction = false;
  #parens = 0;

  constructor(text: string, options: LexerOptions) {
    this.#text = text;
    this.#options = options;
    this.#nextNewline = this.#newlineFrom(0);
  }

  next(): TemplateToken {
    return this.#insideAction ? this.#action() : this.#outside();
  }

  #token(type: TokenType, end = this.#at): TemplateToken {
    const token = {
      type,
      position: this.#start,
      text: this.#text.slice(this.#start, end),
      line: this.#lineOf(this.#start),
    };
    this.#start = this.#at;
    return token;
  }

  #error(text: string): TemplateToken {
    return { type: "error", position: this.#start, text, line: this.#lineOf(this.#start) };
  }

  #lineOf(position: number): number {
    while (this.#nextNewline < position) {
      this.#line += 1;
      this.#nextNewline = this.#newlineFrom(this.#nextNewline + 1);
    }
    return this.#line;
  }

  #newlineFrom(position: number): number {
    const newline = this.#text.indexOf("\n", position);
    return newline < 0 ? Infinity : newline;
  }

  #matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #outside(): TemplateToken {
    const { left } = this.#options;
    for (;;) {
      const open = this.#text.indexOf(left, this.#at);
      if (open < 0) {
        this.#at = this.#text.length;
        return this.#token(this.#at > this.#start ? "text" : "eof");
      }
      const afterLeft = open + left.length;
      const trims = this.#text[afterLeft] === "-" && isSpace(this.#text[afterLeft + 1]);
      if (open > this.#start) {
        let end = open;
        if (trims) while (end > this.#start && isSpace(this.#text[end - 1])) end -= 1;
        this.#at = open;
        if (end > this.#start) return this.#token("text", end);
        this.#start = open;
      }
      const inner = afterLeft + (trims ? 2 : 0);
      if (!this.#text.startsWith("/*", inner)) return this.#leftDelimiter(afterLeft, inner);
      this.#start = inner;
      const problem = this.#comment(inner);
      if (problem) return problem;
    }
  }

  #leftDelimiter(end: number, inner: number): TemplateToken {
    this.#at = inner;
    this.#insideAction = true;
    this.#parens = 0;
    return this.#token("leftDelim", end);
  }

  #comment(inner: number): TemplateToken | undefined {
    const end = this.#text.indexOf("*/", inner + 2);
    if (end < 0) return this.#error("unclosed comment");
    this.#at = end + 2;
    const delimiter = this.#rightDelimiterAhead();
    if (delimiter === undefined) return this.#error("comment ends before closing delimiter");
    this.#passRightDelimiter(delimiter);
    return undefined;
  }

  /** Where the right delimiter begins if one is next, behind ` -` or not. */
  #rightDelimiterAhead(): number | undefined {
    const { right } = this.#options;
    if (this.#trimsBefore(this.#at)) return this.#at + 2;
    return this.#text.startsWith(right, this.#at) ? this.#at : undefined;
  }

  #trimsBefore(at: number): boolean {
    return isSpace(this.#text[at]) && this.#text[at + 1] === "-" && this.#text.startsWith(this.#options.right, at + 2);
  }

  #passRightDelimiter(delimiter: number): void {
    const trims = delimiter > this.#at;
    this.#at = delimiter + this.#options.right.length;
    if (trims) this.#matches(spacesAhead);
    this.#start = this.#at;
  }

  #rightDelimiter(delimiter: number): TemplateToken {
    const { right } = this.#options;
    const token: TemplateToken = {
      type: "rightDelim",
      position: delimiter,
      text: right,
      line: this.#lineOf(delimiter),
    };
    this.#insideAction = false;
    this.#passRightDelimiter(delimiter);
    return token;
  }

  #action(): TemplateToken {
    const delimiter = this.#rightDelimiterAhead();
    if (delimiter !== undefined) {
      return this.#parens === 0 ? this.#rightDelimiter(delimiter) : this.#error("unclosed left paren");
    }
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return this.#error("unclosed action");
    const character = String.fromCodePoint(code);
    if (isSpace(character)) return this.#space();
    if (isAlphanumeric(code) && !isUnicodeDigit(code)) return this.#word();
    this.#at += character.length;
    switch (character) {
      case "=":
        return this.#token("assign");
      case "|":
        return this.#token("pipe");
      case ":":
        if (this.#text[this.#at] !== "=") return this.#error("expected :=");
        this.#at += 1;
        return this.#token("declare");
      case '"':
        return this.#matches(quoted) ? this.#token("string") : this.#error("unterminated quoted string");
      case "'":
        return this.#matches(quotedCharacter)
          ? this.#token("charConstant")
          : this.#error("unterminated character constant");
      case "`":
        return this.#rawString();
      case "$":
        return this.#name("variable");
      case "(":
        this.#parens += 1;
        return this.#token("leftParen");
      case ")":
        this.#parens -= 1;
        return this.#parens < 0 ? this.#error("unexpected right paren") : this.#token("rightParen");
      case ".":
        if (this.#at < this.#text.length && !/[0-9]/.test(this.#text[this.#at] ?? "")) return this.#name("field");
        return this.#number();
      default:
        if (character === "+" || character === "-" || (code >= 0x30 && code <= 0x39)) return this.#number();
        return this.#other(code);
    }
  }

  #other(code: number): TemplateToken {
    if (isAlphanumeric(code)) {
      this.#at = this.#start;
      return this.#word();
    }
    if (code < 0x80 && isPrintable(code)) return this.#token("char");
    return this.#error(`unrecognized character in action: ${describeCharacter(code)}`);
  }

  #space(): TemplateToken {
    this.#matches(spacesAhead);
    // The last space may belong to the delimiter, as in " -}}".
    if (this.#trimsBefore(this.#at - 1)) {
      this.#at -= 1;
      if (this.#at === this.#start) return this.#rightDelimiter(this.#at + 2);
    }
    return this.#token("space");
  }

  #rawString(): TemplateToken {
    const end = this.#text.indexOf("`", this.#at);
    if (end < 0) return this.#error("unterminated raw quoted string");
    this.#at = end + 1;
    return this.#token("rawString");
  }

  #number(): TemplateToken {
    this.#at = this.#start;
    if (!this.#scanNumber()) return this.#badNumber();
    const sign = this.#text[this.#at];
    if (sign !== "+" && sign !== "-") return this.#token("number");
    if (!this.#scanNumber() || this.#text[this.#at - 1] !== "i") return this.#badNumber();
    return this.#token("complex");
  }

  #scanNumber(): boolean {
    this.#matches(number);
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined || !isAlphanumeric(code)) return true;
    this.#at += code > 0xffff ? 2 : 1;
    return false;
  }

  #badNumber(): TemplateToken {
    return this.#error(`bad number syntax: ${quote(this.#text.slice(this.#start, this.#at))}`);
  }

  /** What follows `.` or `$`. */
  #name(type: "field" | "variable"): TemplateToken {
    if (this.#atTerminator()) return this.#token(type === "field" ? "dot" : type);
    this.#passWord();
    return this.#atTerminator() ? this.#token(type) : this.#badCharacter();
  }

  #word(): TemplateToken {
    this.#passWord();
    const word = this.#text.slice(this.#start, this.#at);
    if (!this.#atTerminator()) return this.#badCharacter();
    return this.#token(this.#wordType(word));
  }

  #wordType(word: string): TokenType {
    const { isFunction, endWords } = this.#options;
    if (endWords && endSpellings.has(word) && !isFunction(word)) return "end";
    if (word === "true" || word === "false") return "bool";
    if (!isKeyword(word)) return "identifier";
    return (word === "break" || word === "continue") && isFunction(word) ? "identifier" : word;
  }

  #passWord(): void {
    for (;;) {
      this.#matches(asciiWord);
      const code = this.#text.codePointAt(this.#at);
      if (code === undefined || code < 0x80 || !isAlphanumeric(code)) return;
      this.#at += code > 0xffff ? 2 : 1;
    }
  }

  #badCharacter(): TemplateToken {
    return this.#error(`bad character ${describeCharacter(this.#text.codePointAt(this.#at) ?? 0)}`);
  }

  /** Whether a name may end here. */
  #atTerminator(): boolean {
    const character = this.#text[this.#at];
    if (character === undefined || " \t\r\n.,|:)(".includes(character)) return true;
    return this.#text.startsWith(this.#options.right, this.#at);
  }
}
