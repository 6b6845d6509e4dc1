import { quoteRune } from "../value/quote.ts";

/** What is wrong with a text that is not TOML, and in which line; the words are BurntSushi's. */
export class TomlProblem extends Error {
  override readonly name = "TomlProblem";
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** The end of the text; as a character it is shown as a zero. */
export const textEnd = "";

/** Reads a TOML text character by character. Every look at a character that TOML does not allow fails. */
export class TomlScanner {
  readonly text: string;
  position = 0;
  line = 1;

  constructor(text: string) {
    this.text = text;
  }

  /** The next character, which stays; `end` behind the last one. */
  peek(): string {
    const { line, position } = this;
    const character = this.next();
    this.line = line;
    this.position = position;
    return character;
  }

  next(): string {
    const code = this.text.codePointAt(this.position);
    if (code === undefined) return textEnd;
    if (code === 0x0a) this.line += 1;
    if (code >= 0xdc80 && code <= 0xdcff)
      throw this.failure(`invalid UTF-8 byte: 0x${(code - 0xdc00).toString(16).padStart(2, "0")}`);
    const isBareReturn = code === 0x0d && this.text.charCodeAt(this.position + 1) !== 0x0a;
    const isControl = (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) || code === 0x7f;
    if (isControl || isBareReturn) {
      const hex = code.toString(16).padStart(2, "0");
      throw new TomlProblem(`TOML files cannot contain control characters: '0x${hex}'`, this.line);
    }
    const character = String.fromCodePoint(code);
    this.position += character.length;
    return character;
  }

  accept(character: string): boolean {
    if (this.peek() !== character) return false;
    this.next();
    return true;
  }

  skip(pattern: RegExp): void {
    while (pattern.test(this.peek())) this.next();
  }

  skipBlanks(): void {
    this.skip(/^[ \t]$/);
  }

  /** Characters that match, one by one. */
  take(pattern: RegExp): string {
    const start = this.position;
    this.skip(pattern);
    return this.text.slice(start, this.position);
  }

  get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** A problem with what was read last: at the end of a text that ends with a line, in the line before. */
  failure(problem: string, wasEnd = false): TomlProblem {
    const isBehindBreak = wasEnd && this.text.charAt(this.position - 1) === "\n";
    return new TomlProblem(problem, isBehindBreak ? this.line - 1 : this.line);
  }

  /** The same in the line before this one, because what was read last was its break. */
  failureBefore(problem: string): TomlProblem {
    return new TomlProblem(problem, this.line - 1);
  }

  /** `problem` with the character that was read last. */
  unexpected(before: string, character: string, after: string): TomlProblem {
    return this.failure(before + shownCharacter(character) + after, character === textEnd);
  }
}

/** A character as Go's `%q` shows it. */
export function shownCharacter(character: string): string {
  return quoteRune(character.codePointAt(0) ?? 0);
}
