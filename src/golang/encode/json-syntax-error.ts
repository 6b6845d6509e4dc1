import { toBytes } from "../value/bytes.ts";
import { quote } from "../value/quote.ts";

/** What encoding/json says about a text that is not JSON. Only for such a text. */
export function jsonSyntaxError(text: string): string {
  return new JsonScanner(text).describe();
}

/** Where the text stops being JSON. */
class Stop extends Error {}

const literals = new Map([
  ["t", "true"],
  ["f", "false"],
  ["n", "null"],
]);

class JsonScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  describe(): string {
    try {
      this.#value();
      this.#skipSpace();
      throw this.#unexpected("after top-level value");
    } catch (error) {
      if (error instanceof Stop) return error.message;
      throw error;
    }
  }

  get #character(): string {
    return this.#text.charAt(this.#at);
  }

  /** At the end of a text Go sees a space, and complains of that where none may stand. */
  #unexpected(context: string): Stop {
    if (this.#character === "")
      return new Stop(
        /^(?:looking|after (?!decimal)|in string literal)/.test(context)
          ? "unexpected end of JSON input"
          : `invalid character ' ' ${context}`,
      );
    return new Stop(`invalid character ${quoteByte(this.#text.slice(this.#at, this.#at + 2))} ${context}`);
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#character)) this.#at += 1;
  }

  #value(): void {
    this.#skipSpace();
    const first = this.#character;
    const literal = literals.get(first);
    if (first === "{") this.#object();
    else if (first === "[") this.#array();
    else if (first === '"') this.#string();
    else if (literal !== undefined) this.#literal(literal);
    else if (/[-0-9]/.test(first)) this.#number();
    else throw this.#unexpected("looking for beginning of value");
  }

  #literal(word: string): void {
    for (const letter of word) {
      if (this.#character !== letter) throw this.#unexpected(`in literal ${word} (expecting '${letter}')`);
      this.#at += 1;
    }
  }

  #object(): void {
    this.#at += 1;
    this.#skipSpace();
    if (this.#takes("}")) return;
    for (;;) {
      this.#skipSpace();
      if (this.#character !== '"') throw this.#unexpected("looking for beginning of object key string");
      this.#string();
      this.#skipSpace();
      if (!this.#takes(":")) throw this.#unexpected("after object key");
      this.#value();
      this.#skipSpace();
      if (this.#takes("}")) return;
      if (!this.#takes(",")) throw this.#unexpected("after object key:value pair");
    }
  }

  #array(): void {
    this.#at += 1;
    this.#skipSpace();
    if (this.#takes("]")) return;
    for (;;) {
      this.#value();
      this.#skipSpace();
      if (this.#takes("]")) return;
      if (!this.#takes(",")) throw this.#unexpected("after array element");
    }
  }

  #takes(character: string): boolean {
    if (this.#character !== character) return false;
    this.#at += 1;
    return true;
  }

  #string(): void {
    this.#at += 1;
    while (!this.#takes('"')) {
      if (this.#character < " ") throw this.#unexpected("in string literal");
      if (this.#takes("\\")) this.#escape();
      else this.#at += 1;
    }
  }

  #escape(): void {
    if (!/[bfnrt\\/"u]/.test(this.#character)) throw this.#unexpected("in string escape code");
    const digits = this.#character === "u" ? 4 : 0;
    this.#at += 1;
    for (let count = 0; count < digits; count += 1) {
      if (!/[0-9a-fA-F]/.test(this.#character)) throw this.#unexpected("in \\u hexadecimal character escape");
      this.#at += 1;
    }
  }

  #number(): void {
    if (this.#takes("-") && !/[0-9]/.test(this.#character)) throw this.#unexpected("in numeric literal");
    if (!this.#takes("0")) this.#digits("in numeric literal");
    if (this.#takes(".")) this.#digits("after decimal point in numeric literal");
    if (this.#takes("e") || this.#takes("E")) {
      if (!this.#takes("+")) this.#takes("-");
      this.#digits("in exponent of numeric literal");
    }
  }

  #digits(context: string): void {
    if (!/[0-9]/.test(this.#character)) throw this.#unexpected(context);
    while (/[0-9]/.test(this.#character)) this.#at += 1;
  }
}

/** Go looks at bytes, and takes one for the character of that number. */
function quoteByte(text: string): string {
  const [first = 0] = toBytes(Array.from(text)[0] ?? "");
  const character = String.fromCharCode(first);
  if (character === "'") return "'\\''";
  return character === '"' ? `'"'` : `'${quote(character).slice(1, -1)}'`;
}
