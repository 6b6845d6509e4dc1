/** A cache with a limit: the least recently used value is dropped first. */
export class LeastRecentlyUsed<Key, Value> {
  readonly #limit: number;
  readonly #values = new Map<Key, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value of this key; calls `make` if there is none. */
  get(key: Key, make: () => Value): Value {
    const value = this.#values.get(key) ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#limit) this.#forgetOldest();
    return value;
  }

  #forgetOldest(): void {
    for (const [oldest] of this.#values) {
      this.#values.delete(oldest);
      return;
    }
  }
}
