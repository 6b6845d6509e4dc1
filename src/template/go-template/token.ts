import { byteLength, quote, sprintf } from "#golang";

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

export interface Token {
  readonly type: TokenType;
  /** Where it begins in the text. */
  readonly position: number;
  readonly text: string;
  /** The line it begins on, from 1. */
  readonly line: number;
}

const words: ReadonlySet<string> = new Set(keywords);

export function isKeyword(word: string): word is Keyword {
  return words.has(word);
}

/** As messages show it. */
export function describeToken({ type, text }: Token): string {
  if (type === "eof") return "EOF";
  if (type === "error") return text;
  if (type === "dot" || isKeyword(type)) return `<${text}>`;
  if (byteLength(text) > 10) return sprintf("%.10q...", [text]);
  return quote(text);
}
