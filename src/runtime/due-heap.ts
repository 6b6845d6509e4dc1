/** An item in a `DueHeap`, with the time at which it is due. */
export interface DueEntry<Item> {
  readonly item: Item;
  due: number;
  /** Breaks ties: of two that are due at the same time, the one added or moved first comes out first. */
  sequence: number;
  index: number;
}

/** A binary heap: the item that is due first comes out first. Each operation takes O(log n). */
export class DueHeap<Item> {
  readonly #heap: DueEntry<Item>[] = [];
  #sequence = 0;

  get size(): number {
    return this.#heap.length;
  }

  get first(): DueEntry<Item> | undefined {
    return this.#heap[0];
  }

  add(item: Item, due: number): DueEntry<Item> {
    const entry = { item, due, sequence: this.#sequence++, index: this.#heap.length };
    this.#heap.push(entry);
    this.#rise(entry);
    return entry;
  }

  /** Moves an entry to an earlier time. */
  advance(entry: DueEntry<Item>, due: number): void {
    entry.due = due;
    entry.sequence = this.#sequence++;
    this.#rise(entry);
  }

  /** The entry must be in this heap. */
  remove(entry: DueEntry<Item>): void {
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, entry.index);
    this.#rise(last);
    this.#sink(last);
  }

  clear(): void {
    this.#heap.length = 0;
  }

  #rise(entry: DueEntry<Item>): void {
    for (;;) {
      const parent = this.#heap[(entry.index - 1) >> 1];
      if (entry.index === 0 || parent === undefined || isBefore(parent, entry)) return;
      this.#swap(parent, entry);
    }
  }

  #sink(entry: DueEntry<Item>): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      const right = this.#heap[2 * entry.index + 2];
      const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || isBefore(entry, child)) return;
      this.#swap(entry, child);
    }
  }

  #swap(upper: DueEntry<Item>, lower: DueEntry<Item>): void {
    const index = upper.index;
    this.#put(upper, lower.index);
    this.#put(lower, index);
  }

  #put(entry: DueEntry<Item>, index: number): void {
    entry.index = index;
    this.#heap[index] = entry;
  }
}

function isBefore(one: DueEntry<unknown>, other: DueEntry<unknown>): boolean {
  return one.due < other.due || (one.due === other.due && one.sequence < other.sequence);
}
