/** A prime, because for a power of two there are texts that collide with every base. Small enough for exact products. */
const modulus = 2 ** 26 - 5;
/** Random in each process, so that an attacker cannot prepare texts that collide. */
const base = 1 + Math.floor(Math.random() * (modulus - 1));

/** Gives the hash of any part of a text in constant time, after one pass over it. */
export class RollingHash {
  /** The hash of each prefix, by its length. */
  readonly #openings: Int32Array;

  constructor(text: string) {
    const openings = new Int32Array(text.length + 1);
    let hash = 0;
    for (let index = 0; index < text.length; index++) {
      hash = (hash * base + text.charCodeAt(index)) % modulus;
      openings[index + 1] = hash;
    }
    this.#openings = openings;
  }

  of(start: number, length: number): number {
    const before = this.#openings[start] ?? 0;
    const whole = this.#openings[start + length] ?? 0;
    return (whole + modulus - ((before * powerOf(length)) % modulus)) % modulus;
  }
}

let powers = new Int32Array([1]);

function powerOf(exponent: number): number {
  if (exponent >= powers.length) powers = powersUpTo(2 * exponent);
  return powers[exponent] ?? 0;
}

function powersUpTo(largest: number): Int32Array<ArrayBuffer> {
  const made = new Int32Array(largest + 1);
  let power = 1;
  for (let exponent = 0; exponent <= largest; exponent++) {
    made[exponent] = power;
    power = (power * base) % modulus;
  }
  return made;
}
