/** Items that wait: the next one is taken from it, or one from the middle is removed. */
interface Lane<Item> {
  readonly size: number;
  push(item: Item): QueueNode<Item>;
  shift(): Item | undefined;
  /** The node must be in this lane. */
  remove(node: QueueNode<Item>): void;
}

/** The items of one tenant. */
interface TenantQueue<Item> {
  readonly tenant: string;
  readonly items: Lane<Item>;
}

interface FairQueueOptions<Item> {
  /** How many items of one tenant are served before those of the next; default 1. */
  readonly inARow?: number;
  /** The order of the items of one tenant; default: first in, first out. */
  readonly openLane?: () => Lane<Item>;
}

/** Round-robin over tenants: the first item of a tenant waits for at most one turn of each other tenant. */
export class FairQueue<Item> implements Lane<Item> {
  readonly #tenantOf: (item: Item) => string;
  readonly #inARow: number;
  readonly #openLane: () => Lane<Item>;
  readonly #tenants = new Fifo<TenantQueue<Item>>();
  readonly #nodes = new Map<string, QueueNode<TenantQueue<Item>>>();
  #size = 0;
  /** How many items the first tenant has been served in its turn. */
  #served = 0;

  constructor(tenantOf: (item: Item) => string, options: FairQueueOptions<Item> = {}) {
    this.#tenantOf = tenantOf;
    this.#inARow = options.inARow ?? 1;
    this.#openLane = options.openLane ?? (() => new Fifo());
  }

  get size(): number {
    return this.#size;
  }

  push(item: Item): QueueNode<Item> {
    const tenant = this.#tenantOf(item);
    const queue = this.#nodes.get(tenant)?.item ?? this.#enqueue({ tenant, items: this.#openLane() });
    this.#size++;
    return queue.items.push(item);
  }

  shift(): Item | undefined {
    const queue = this.#tenants.first;
    if (!queue) return undefined;
    const item = queue.items.shift();
    this.#size--;
    this.#served++;
    if (queue.items.size === 0) {
      this.#dequeue(queue.tenant);
    } else if (this.#served >= this.#inARow) {
      this.#dequeue(queue.tenant);
      this.#enqueue(queue);
    }
    return item;
  }

  remove(node: QueueNode<Item>): void {
    const tenant = this.#tenantOf(node.item);
    const queue = this.#nodes.get(tenant)?.item;
    if (!queue) throw new Error(`no item of ${tenant} is in the queue`);
    queue.items.remove(node);
    this.#size--;
    if (queue.items.size === 0) this.#dequeue(tenant);
  }

  #enqueue(queue: TenantQueue<Item>): TenantQueue<Item> {
    this.#nodes.set(queue.tenant, this.#tenants.push(queue));
    return queue;
  }

  #dequeue(tenant: string): void {
    const node = this.#nodes.get(tenant);
    if (!node) return;
    if (node.item === this.#tenants.first) this.#served = 0;
    this.#tenants.remove(node);
    this.#nodes.delete(tenant);
  }
}

/** An item in a `Fifo`; with it, the item can be removed from any position. */
export interface QueueNode<Item> {
  readonly item: Item;
  before: QueueNode<Item> | undefined;
  after: QueueNode<Item> | undefined;
}

/**
 * First in, first out, with removal from the middle, each in constant time.
 * A linked list and not a `Set`: V8 steps over the deleted entries at the front of a `Set` on each read of the first one.
 */
class Fifo<Item> implements Lane<Item> {
  #first: QueueNode<Item> | undefined;
  #last: QueueNode<Item> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Item | undefined {
    return this.#first?.item;
  }

  push(item: Item): QueueNode<Item> {
    const node: QueueNode<Item> = { item, before: this.#last, after: undefined };
    if (this.#last) this.#last.after = node;
    else this.#first = node;
    this.#last = node;
    this.#size++;
    return node;
  }

  shift(): Item | undefined {
    const first = this.#first;
    if (first) this.remove(first);
    return first?.item;
  }

  remove(node: QueueNode<Item>): void {
    if (node.before) node.before.after = node.after;
    else this.#first = node.after;
    if (node.after) node.after.before = node.before;
    else this.#last = node.before;
    node.before = undefined;
    node.after = undefined;
    this.#size--;
  }
}
