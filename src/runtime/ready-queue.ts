import { FairQueue, type QueueNode } from "./fair-queue.ts";

/**
 * resumed: what was begun can go on, and should end before more is begun. live: something changed, and a user may wait for the
 * effect. background: the first list, a resync.
 */
export type Priority = "resumed" | "live" | "background";

const ranks: Readonly<Record<Priority, number>> = { resumed: 2, live: 1, background: 0 };

export function isMoreUrgent(one: Priority, other: Priority): boolean {
  return ranks[one] > ranks[other];
}

/** How many items of one group are taken in a row while another group of the tenant waits. */
const groupInARow = 64;

/**
 * Resumed items go first, then live ones, but at most `liveBurst` in a row while a background item waits. Within a priority, tenants take
 * turns, so that no tenant waits for all items of another; within a tenant, items of one group follow each other.
 */
export class ReadyQueue<Item> {
  readonly #queues: Readonly<Record<Priority, FairQueue<Item>>>;
  readonly #liveBurst: number;
  #liveInARow = 0;

  /** `groupOf` must not change while an item waits; without it, items of a tenant are first in, first out. */
  constructor(liveBurst: number, tenantOf: (item: Item) => string, groupOf?: (item: Item) => string) {
    const openLane = groupOf && (() => new FairQueue(groupOf, { inARow: groupInARow }));
    const open = () => new FairQueue(tenantOf, openLane ? { openLane } : {});
    this.#queues = { resumed: open(), live: open(), background: open() };
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
    const { resumed, live, background } = this.#queues;
    const urgent = resumed.size > 0 ? resumed : live;
    const isBackgroundsTurn = background.size > 0 && (urgent.size === 0 || this.#liveInARow >= this.#liveBurst);
    this.#liveInARow = isBackgroundsTurn || background.size === 0 ? 0 : this.#liveInARow + 1;
    return (isBackgroundsTurn ? background : urgent).shift();
  }
}
