/** The bytes are not a value, or not of the expected type. */
export class DerError extends Error {}

export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** The value with its tag and length. */
  readonly whole: Buffer;
}

/** Reads values one behind the other. */
export class DerReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** The tag of the next value. */
  get nextTag(): number | undefined {
    return this.#bytes[this.#at];
  }

  read(tag: number): DerValue {
    const start = this.#at;
    const value = this.readAny();
    if (value.tag === tag) return value;
    this.#at = start;
    throw new DerError(`tag ${value.tag} where ${tag} should be`);
  }

  readAny(): DerValue {
    const start = this.#at;
    const tag = this.#byte();
    const length = this.#length();
    const contentStart = this.#at;
    const end = contentStart + length;
    if (end > this.#bytes.length) throw new DerError("truncated");
    this.#at = end;
    return { tag, content: this.#bytes.subarray(contentStart, end), whole: this.#bytes.subarray(start, end) };
  }

  /** The values within the next one. */
  readInto(tag: number): DerReader {
    return new DerReader(this.read(tag).content);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new DerError("truncated");
    this.#at += 1;
    return byte;
  }

  /** Lengths must be as short as they can be. */
  #length(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    const count = first - 0x80;
    if (count === 0 || count > 4) throw new DerError("length of unknown form");
    let length = 0;
    for (let index = 0; index < count; index += 1) length = length * 256 + this.#byte();
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerError("length is longer than it needs");
    return length;
  }
}
