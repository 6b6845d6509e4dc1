import { FairQueue, type QueueNode } from "./fair-queue.ts";

/** live: somebody changed something and waits for the effect. background: the first listing, a resync. */
export type Priority = "live" | "background";

/**
 * Live items go first, but at most `liveBurst` in a row while a background one waits. Among those of a priority tenants take turns,
 * so that nobody waits for all that another wants.
 */
export class ReadyQueue<Item> {
  readonly #lines: Readonly<Record<Priority, FairQueue<Item>>>;
  readonly #liveBurst: number;
  #liveInARow = 0;

  constructor(liveBurst: number, tenantOf: (item: Item) => string) {
    this.#lines = { live: new FairQueue(tenantOf), background: new FairQueue(tenantOf) };
    this.#liveBurst = liveBurst;
  }

  join(item: Item, priority: Priority): QueueNode<Item> {
    return this.#lines[priority].push(item);
  }

  /** The place must be in the line of this priority. */
  leave(place: QueueNode<Item>, priority: Priority): void {
    this.#lines[priority].remove(place);
  }

  take(): Item | undefined {
    const { live, background } = this.#lines;
    const isBackgroundsTurn = background.size > 0 && (live.size === 0 || this.#liveInARow >= this.#liveBurst);
    this.#liveInARow = isBackgroundsTurn || background.size === 0 ? 0 : this.#liveInARow + 1;
    return (isBackgroundsTurn ? background : live).shift();
  }
}
