/** What one rendering may use up. A bound that is passed ends it with an ordinary template error. */
export interface Limits {
  /** Nodes evaluated, loop iterations, function calls. */
  readonly steps: number;
  /** Of processor time, so that a busy machine does not change what is refused. */
  readonly milliseconds: number;
  /** UTF-8 bytes written, and bytes or elements a single function may make. */
  readonly output: number;
  /** Templates that call templates. */
  readonly depth: number;
}

/** The bounds of a chart, which its user chose to run: far away, but there. */
export const chartLimits: Limits = { steps: 200_000_000, milliseconds: 60_000, output: 256 << 20, depth: 1_000 };

/** The bounds of a template that a tenant of the cluster wrote. */
export const tenantLimits: Limits = { steps: 1_000_000, milliseconds: 250, output: 1 << 20, depth: 100 };

/** A bound was passed. */
export class LimitError extends Error {
  override readonly name = "LimitError";
}

const stepsBetweenLooksAtTheClock = 1_024;
/** All that functions may make, in outputs. */
const outputsMade = 32;

/** The processor time that this thread has used so far. */
export function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Counts what a rendering uses; every method throws a `LimitError` once its bound is passed. */
export class Budget {
  readonly limits: Limits;
  readonly #milliseconds: () => number;
  /** Set at the first look at the clock: most renderings end before it, and reading the clock takes as long as they do. */
  #deadline: number | undefined;
  #steps = 0;
  #nextLook = stepsBetweenLooksAtTheClock;
  #output = 0;
  #made = 0;
  #depth = 0;

  constructor(limits: Limits, milliseconds: () => number = threadMilliseconds) {
    this.limits = limits;
    this.#milliseconds = milliseconds;
  }

  /** Before work of `count` units: an evaluation, an iteration, an element copied by a function. */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps < this.#nextLook) return;
    if (this.#steps > this.limits.steps) throw new LimitError(`takes more than ${this.limits.steps} steps`);
    this.#nextLook = this.#steps + stepsBetweenLooksAtTheClock;
    const now = this.#milliseconds();
    this.#deadline ??= now + this.limits.milliseconds;
    if (now > this.#deadline) throw new LimitError(`takes more than ${this.limits.milliseconds} ms of processor time`);
  }

  /** Before a function makes something of `size` bytes or elements: `repeat`, `until`, `indent`, concatenation. */
  make(size: number | bigint): void {
    const { output } = this.limits;
    if (size > output) throw new LimitError(`makes more than ${output} bytes or elements at once`);
    this.#made += Number(size);
    // What was made before may still be held by a variable.
    if (this.#made > output * outputsMade)
      throw new LimitError(`makes more than ${output * outputsMade} bytes or elements in all`);
    this.step(1 + (Number(size) >> 10));
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
