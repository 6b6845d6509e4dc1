import { createHash, type Hash } from "node:crypto";

const firstInterval = 4 * 2 ** 20;
const mostCheckpoints = 512;

/** The digest of a stream that may have to be read again from the middle: it remembers its state every few megabytes. */
export class ResumableHash {
  readonly #algorithm: string;
  #checkpoints: { readonly position: number; readonly hash: Hash }[];
  #interval = firstInterval;
  #hash: Hash;
  #position = 0;

  constructor(algorithm: string) {
    this.#algorithm = algorithm;
    this.#hash = createHash(algorithm);
    this.#checkpoints = [{ position: 0, hash: this.#hash.copy() }];
  }

  /** How many bytes were hashed. */
  get position(): number {
    return this.#position;
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#position += chunk.length;
    const last = this.#checkpoints.at(-1)?.position ?? 0;
    if (this.#position - last < this.#interval) return;
    this.#checkpoints.push({ position: this.#position, hash: this.#hash.copy() });
    if (this.#checkpoints.length < mostCheckpoints) return;
    this.#interval *= 2;
    this.#checkpoints = this.#checkpoints.filter((_, index) => index % 2 === 0);
  }

  /** Goes back to a position from which everything up to `position` must be read again, and returns it. */
  rewindTo(position: number): number {
    const kept = this.#checkpoints.filter((each) => each.position <= position);
    const [last] = kept.slice(-1);
    this.#checkpoints = kept;
    this.#hash = last?.hash.copy() ?? createHash(this.#algorithm);
    this.#position = last?.position ?? 0;
    return this.#position;
  }

  digest(): string {
    return `${this.#algorithm}:${this.#hash.copy().digest("hex")}`;
  }
}
