import { randomUUID } from "node:crypto";
import type { ChangeEvent } from "./console-api.ts";

interface NumberedChange {
  readonly number: number;
  readonly change: ChangeEvent;
}

/** How many changes a page may have missed and still catch up one by one. */
const kept = 1_000;

/** What changed, in order, for pages that are open and for pages that come back. */
export class ChangeFeed {
  /** A number of another feed means nothing here. */
  readonly #epoch = randomUUID().slice(0, 8);
  readonly #recent: NumberedChange[] = [];
  readonly #listeners = new Set<(id: string, change: ChangeEvent) => void>();
  #last = 0;

  get id(): string {
    return this.#idOf(this.#last);
  }

  push(change: ChangeEvent): void {
    this.#last += 1;
    this.#recent.push({ number: this.#last, change });
    if (this.#recent.length > kept) this.#recent.shift();
    for (const listener of this.#listeners) listener(this.#idOf(this.#last), change);
  }

  /** What came after the id; undefined if that is no longer known, and everything must be read again. */
  since(id: string): readonly { readonly id: string; readonly change: ChangeEvent }[] | undefined {
    const [epoch, text = ""] = id.split("-");
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    const oldest = this.#last - this.#recent.length;
    if (epoch !== this.#epoch || !(number >= oldest && number <= this.#last)) return undefined;
    return this.#recent
      .filter((each) => each.number > number)
      .map((each) => ({ id: this.#idOf(each.number), change: each.change }));
  }

  subscribe(listener: (id: string, change: ChangeEvent) => void): Disposable {
    const own = (id: string, change: ChangeEvent): void => listener(id, change);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  #idOf(number: number): string {
    return `${this.#epoch}-${number}`;
  }
}
