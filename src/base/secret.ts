import { createHash, timingSafeEqual } from "node:crypto";
import { inspect } from "node:util";
import { KnownValues, mask } from "./known-values.ts";

const known = new KnownValues();
const collected = new FinalizationRegistry<string>((value) => known.release(value));

/**
 * A value that cannot be printed by accident; only `reveal` gives it away.
 * While a `Secret` is alive, `redact` also masks its value in any text: keep it for as long as what was revealed may appear.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    known.hold(value);
    collected.register(this, value);
  }

  reveal(): string {
    return this.#value;
  }

  /** Takes the same time whatever the values have in common. */
  equals(other: Secret): boolean {
    return timingSafeEqual(digest(this.#value), digest(other.#value));
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [Symbol.toPrimitive](): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}

/** Masks what is secret in a text. */
export type Redact = (text: string) => string;

/** The text with the value of every living `Secret` of 6 characters or more masked, also where JSON, a URL or base64 wrote it. */
export function redact(text: string): string {
  return known.redact(text);
}

/** UTF-16, because UTF-8 writes all lone surrogates alike. */
function digest(value: string): Buffer {
  return createHash("sha256").update(value, "utf16le").digest();
}
