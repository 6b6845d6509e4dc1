import { toBytes } from "../value/bytes.ts";
import { quoteBytes } from "./go-duration.ts";

/** The value does not fit the element of the layout. */
export class Mismatch extends Error {}

/** It fits, but is too large: a `minute` of 60. */
export class OutOfRange extends Error {}

/** Takes a text from its beginning. A character is a byte of it, so that what is cut is cut where Go cuts it. */
export class TimeScanner {
  #rest: string;

  constructor(text: string) {
    this.#rest = byteText(text);
  }

  get rest(): string {
    return this.#rest;
  }

  get isAtEnd(): boolean {
    return this.#rest === "";
  }

  take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return taken;
  }

  /** What the expression matches at the beginning, if it does. */
  takeIf(expression: RegExp): string | undefined {
    const match = expression.exec(this.#rest);
    return match?.index === 0 ? this.take(match[0].length) : undefined;
  }

  taken(expression: RegExp): string {
    const text = this.takeIf(expression);
    if (text === undefined) throw new Mismatch();
    return text;
  }

  exactly(length: number): string {
    if (this.#rest.length < length) throw new Mismatch();
    return this.take(length);
  }

  number(expression: RegExp, most: number, name: string): number {
    const value = Number(this.taken(expression));
    if (value > most) throw new OutOfRange(name);
    return value;
  }

  /** The index of the name that comes next, in upper or lower case. */
  named(names: readonly string[]): number {
    const ahead = this.#rest.slice(0, 9).toLowerCase();
    const index = names.findIndex((name) => ahead.startsWith(name.toLowerCase()));
    if (index < 0) throw new Mismatch();
    this.take(names[index]?.length ?? 0);
    return index;
  }

  /** The text of a layout between its elements. Spaces stand for any number of them, and at the end for none. */
  text(text: string): void {
    for (const [piece] of text.matchAll(/ +|[^ ]/g)) {
      const fits = piece.startsWith(" ") ? this.isAtEnd || this.#rest.startsWith(" ") : this.#rest.startsWith(piece);
      if (!fits) throw new Mismatch();
      if (piece.startsWith(" ")) this.takeIf(/^ +/);
      else this.take(1);
    }
  }
}

export function byteText(text: string): string {
  return Buffer.from(toBytes(text)).toString("latin1");
}

export function quoteByteText(bytes: string): string {
  return quoteBytes(Buffer.from(bytes, "latin1"));
}
