/**
 * What one rendering may use up. A bound that is passed ends it with an ordinary template error. Everything is counted and nothing
 * is timed, so that the same template with the same data always ends the same way, however busy the machine is.
 */
export interface Limits {
  /** Work: nodes evaluated, iterations, calls, and characters or elements that functions visit, a few dozen to a step. */
  readonly steps: number;
  /** UTF-8 bytes written, and bytes that a single function may make. */
  readonly output: number;
  /** Bytes that are made in all: what was made before may still be held by a variable. */
  readonly memory: number;
  /** Templates that call templates. */
  readonly depth: number;
}

/** The bounds of a chart, which its user chose to run: far away, but there. */
export const chartLimits: Limits = { steps: 200_000_000, output: 256 << 20, memory: 2 ** 30, depth: 1_000 };

/** The bounds of a template that a tenant of the cluster wrote. A million steps take at most about a quarter of a second. */
export const tenantLimits: Limits = { steps: 1_000_000, output: 1 << 20, memory: 32 << 20, depth: 100 };

/** A bound was passed. */
export class LimitError extends Error {
  override readonly name = "LimitError";
}

/** What a call may leave behind beside its text: a small list, the entry of a map, a number. */
const bytesPerCall = 64;

/** Counts what a rendering uses; every method throws a `LimitError` once its bound is passed. */
export class Budget {
  readonly limits: Limits;
  #steps = 0;
  #output = 0;
  #made = 0;
  #depth = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** The work so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Before work of `count` units: an evaluation, an iteration, an element copied by a function. */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > this.limits.steps) throw new LimitError(`takes more than ${this.limits.steps} steps`);
  }

  /** Before a function is called that visits so much. */
  call(steps: number): void {
    this.step(steps);
    this.hold(bytesPerCall);
  }

  /** Before a function makes something of `size` bytes: `repeat`, `until`, `indent`, concatenation. */
  make(size: number | bigint): void {
    const { output } = this.limits;
    if (size > output) throw new LimitError(`makes more than ${output} bytes or elements at once`);
    this.hold(Number(size));
    this.step(1 + (Number(size) >> 10));
  }

  /** Before so many bytes of memory are taken, however small each piece is. */
  hold(bytes: number): void {
    this.#made += bytes;
    if (this.#made > this.limits.memory)
      throw new LimitError(`makes more than ${this.limits.memory} bytes of texts and lists in all`);
  }

  /** Before a function makes a list: `bytes` is what an element takes while it grows, its place alone or itself as well. */
  makeList(length: number | bigint, bytes = 24): void {
    this.make(BigInt(length) * BigInt(bytes));
  }

  /** Before a function takes a text apart character by character, each of which takes memory for a while. */
  takeApart(text: string): void {
    this.make(text.length * 32);
  }

  /** Before text of `bytes` goes to the output. */
  write(bytes: number): void {
    this.#output += bytes;
    if (this.#output > this.limits.output) throw new LimitError(`writes more than ${this.limits.output} bytes`);
  }

  enter(): void {
    if (this.#depth >= this.limits.depth)
      throw new LimitError(`exceeded maximum template depth (${this.limits.depth})`);
    this.#depth += 1;
  }

  leave(): void {
    this.#depth -= 1;
  }

  get depth(): number {
    return this.#depth;
  }

  /** Goes back to a depth that was read before, whatever was entered since and however that ended. */
  returnTo(depth: number): void {
    this.#depth = depth;
  }
}
