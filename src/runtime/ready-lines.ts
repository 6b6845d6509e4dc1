import { Fifo, type Place } from "./fifo.ts";

/** live: somebody changed something and waits for the effect. background: the first listing, a resync. */
export type Priority = "live" | "background";

/** Two lines, of which the live one goes first, but at most `liveBurst` times in a row while somebody waits in the other. */
export class ReadyLines<Item> {
  readonly #lines = { live: new Fifo<Item>(), background: new Fifo<Item>() } as const;
  readonly #liveBurst: number;
  #liveInARow = 0;

  constructor(liveBurst: number) {
    this.#liveBurst = liveBurst;
  }

  join(item: Item, priority: Priority): Place<Item> {
    return this.#lines[priority].push(item);
  }

  /** The place must be in the line of this priority. */
  leave(place: Place<Item>, priority: Priority): void {
    this.#lines[priority].remove(place);
  }

  take(): Item | undefined {
    const { live, background } = this.#lines;
    const isBackgroundsTurn = background.size > 0 && (live.size === 0 || this.#liveInARow >= this.#liveBurst);
    this.#liveInARow = isBackgroundsTurn || background.size === 0 ? 0 : this.#liveInARow + 1;
    return (isBackgroundsTurn ? background : live).shift();
  }
}
