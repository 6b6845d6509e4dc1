import type { Clock } from "#base";
import { type DueEntry, DueHeap } from "./due-heap.ts";

/** Calls `onDue` when an item is due. One timer serves all items. */
export class Schedule<Item> {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #onDue: (item: Item) => void;
  readonly #heap = new DueHeap<Item>();
  #timer: { readonly due: number; readonly timer: Disposable } | undefined;

  /** `onDue` must cancel the entry that it is called for. */
  constructor(clock: Pick<Clock, "monotonic" | "after">, onDue: (item: Item) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Adds an entry, or moves the existing one to the new time if that is earlier. */
  set(item: Item, afterMs: number, existing: DueEntry<Item> | undefined): DueEntry<Item> {
    const due = this.#clock.monotonic() + afterMs;
    const entry = existing ?? this.#heap.add(item, due);
    if (due < entry.due) this.#heap.advance(entry, due);
    this.#setTimer();
    return entry;
  }

  cancel(entry: DueEntry<Item>): void {
    this.#heap.remove(entry);
  }

  clear(): void {
    this.#heap.clear();
    this.#timer?.timer[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Sets the timer again only if the first entry has changed. A timer for a cancelled entry fires without effect. */
  #setTimer(): void {
    const due = this.#heap.first?.due;
    if (due === undefined || (this.#timer && this.#timer.due <= due)) return;
    this.#timer?.timer[Symbol.dispose]();
    const timer = this.#clock.after(due - this.#clock.monotonic(), () => this.#fire());
    this.#timer = { due, timer };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let first = this.#heap.first; first && first.due <= now; first = this.#heap.first) this.#onDue(first.item);
    this.#setTimer();
  }
}
