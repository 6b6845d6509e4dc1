/** An appointment in a `DueHeap`. */
export interface DueEntry<Item> {
  readonly item: Item;
  due: number;
  /** Of two that are due together, the one that was made or moved first. */
  turn: number;
  index: number;
}

/** What is due first comes out first. Each operation takes O(log n). */
export class DueHeap<Item> {
  readonly #heap: DueEntry<Item>[] = [];
  #turns = 0;

  get size(): number {
    return this.#heap.length;
  }

  get first(): DueEntry<Item> | undefined {
    return this.#heap[0];
  }

  add(item: Item, due: number): DueEntry<Item> {
    const appointment = { item, due, turn: this.#turns++, index: this.#heap.length };
    this.#heap.push(appointment);
    this.#rise(appointment);
    return appointment;
  }

  /** Moves an appointment to an earlier time. */
  advance(appointment: DueEntry<Item>, due: number): void {
    appointment.due = due;
    appointment.turn = this.#turns++;
    this.#rise(appointment);
  }

  /** The appointment must be in this heap. */
  remove(appointment: DueEntry<Item>): void {
    const last = this.#heap.pop();
    if (last === undefined || last === appointment) return;
    this.#put(last, appointment.index);
    this.#rise(last);
    this.#sink(last);
  }

  clear(): void {
    this.#heap.length = 0;
  }

  #rise(appointment: DueEntry<Item>): void {
    for (;;) {
      const parent = this.#heap[(appointment.index - 1) >> 1];
      if (appointment.index === 0 || parent === undefined || isBefore(parent, appointment)) return;
      this.#swap(parent, appointment);
    }
  }

  #sink(appointment: DueEntry<Item>): void {
    for (;;) {
      const left = this.#heap[2 * appointment.index + 1];
      const right = this.#heap[2 * appointment.index + 2];
      const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || isBefore(appointment, child)) return;
      this.#swap(appointment, child);
    }
  }

  #swap(upper: DueEntry<Item>, lower: DueEntry<Item>): void {
    const index = upper.index;
    this.#put(upper, lower.index);
    this.#put(lower, index);
  }

  #put(appointment: DueEntry<Item>, index: number): void {
    appointment.index = index;
    this.#heap[index] = appointment;
  }
}

function isBefore(one: DueEntry<unknown>, other: DueEntry<unknown>): boolean {
  return one.due < other.due || (one.due === other.due && one.turn < other.turn);
}
