import { FairQueue, type QueueNode } from "./fair-queue.ts";

/** live: something changed, and a user may wait for the effect. background: the first list, a resync. */
export type Priority = "live" | "background";

/**
 * Live items go first, but at most `liveBurst` in a row while a background item waits. Within a priority, tenants take
 * turns, so that no tenant waits for all items of another.
 */
export class ReadyQueue<Item> {
  readonly #queues: Readonly<Record<Priority, FairQueue<Item>>>;
  readonly #liveBurst: number;
  #liveInARow = 0;

  constructor(liveBurst: number, tenantOf: (item: Item) => string) {
    this.#queues = { live: new FairQueue(tenantOf), background: new FairQueue(tenantOf) };
    this.#liveBurst = liveBurst;
  }

  push(item: Item, priority: Priority): QueueNode<Item> {
    return this.#queues[priority].push(item);
  }

  /** The node must have been pushed with this priority. */
  remove(node: QueueNode<Item>, priority: Priority): void {
    this.#queues[priority].remove(node);
  }

  shift(): Item | undefined {
    const { live, background } = this.#queues;
    const isBackgroundsTurn = background.size > 0 && (live.size === 0 || this.#liveInARow >= this.#liveBurst);
    this.#liveInARow = isBackgroundsTurn || background.size === 0 ? 0 : this.#liveInARow + 1;
    return (isBackgroundsTurn ? background : live).shift();
  }
}
