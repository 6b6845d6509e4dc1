import type { Clock } from "#base";
import { type DueEntry, DueHeap } from "./due-heap.ts";

/** Calls when something is due, with one timer for all that is to come. */
export class Schedule<Item> {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #onDue: (item: Item) => void;
  readonly #heap = new DueHeap<Item>();
  #alarm: { readonly due: number; readonly timer: Disposable } | undefined;

  /** `onDue` must cancel the appointment that it is called for. */
  constructor(clock: Pick<Clock, "monotonic" | "after">, onDue: (item: Item) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** A new appointment, or the one there is, if need be moved so that it is not later. */
  arrange(item: Item, afterMs: number, appointment: DueEntry<Item> | undefined): DueEntry<Item> {
    const due = this.#clock.monotonic() + afterMs;
    const arranged = appointment ?? this.#heap.add(item, due);
    if (due < arranged.due) this.#heap.advance(arranged, due);
    this.#setAlarm();
    return arranged;
  }

  cancel(appointment: DueEntry<Item>): void {
    this.#heap.remove(appointment);
  }

  clear(): void {
    this.#heap.clear();
    this.#alarm?.timer[Symbol.dispose]();
    this.#alarm = undefined;
  }

  /** Anew only when another appointment has become the first. An alarm for one that was cancelled rings in vain. */
  #setAlarm(): void {
    const due = this.#heap.first?.due;
    if (due === undefined || (this.#alarm && this.#alarm.due <= due)) return;
    this.#alarm?.timer[Symbol.dispose]();
    const timer = this.#clock.after(due - this.#clock.monotonic(), () => this.#ring());
    this.#alarm = { due, timer };
  }

  #ring(): void {
    this.#alarm = undefined;
    const now = this.#clock.monotonic();
    for (let first = this.#heap.first; first && first.due <= now; first = this.#heap.first) this.#onDue(first.item);
    this.#setAlarm();
  }
}
