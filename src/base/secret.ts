import { createHash, timingSafeEqual } from "node:crypto";
import { inspect } from "node:util";
import { KnownValues, mask } from "./known-values.ts";

const known = new KnownValues();
const collected = new FinalizationRegistry<string>((value) => known.release(value));

/**
 * A value that is not printed by accident: only `reveal` returns it.
 * While a `Secret` is alive, `redact` also masks its value in any text, so keep it for as long as the value may appear.
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

  /** In constant time. */
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

/** Masks secrets in a text. */
export type Redact = (text: string) => string;

/** Masks the value of every live `Secret` of 6 characters or more, also in JSON, URL and base64 encoding. */
export function redact(text: string): string {
  return known.redact(text);
}

/** UTF-16, because UTF-8 encodes all lone surrogates alike. */
function digest(value: string): Buffer {
  return createHash("sha256").update(value, "utf16le").digest();
}
