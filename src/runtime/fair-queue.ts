/** The items of one tenant. */
interface TenantQueue<Item> {
  readonly tenant: string;
  readonly items: Fifo<Item>;
}

/** Round-robin over tenants: the first item of a tenant waits for at most one item of each other tenant. */
export class FairQueue<Item> {
  readonly #tenantOf: (item: Item) => string;
  readonly #tenants = new Fifo<TenantQueue<Item>>();
  readonly #nodes = new Map<string, QueueNode<TenantQueue<Item>>>();
  #size = 0;

  constructor(tenantOf: (item: Item) => string) {
    this.#tenantOf = tenantOf;
  }

  get size(): number {
    return this.#size;
  }

  push(item: Item): QueueNode<Item> {
    const tenant = this.#tenantOf(item);
    const queue = this.#nodes.get(tenant)?.item ?? this.#enqueue({ tenant, items: new Fifo() });
    this.#size++;
    return queue.items.push(item);
  }

  shift(): Item | undefined {
    const queue = this.#tenants.shift();
    if (!queue) return undefined;
    this.#nodes.delete(queue.tenant);
    const item = queue.items.shift();
    this.#size--;
    if (queue.items.size > 0) this.#enqueue(queue);
    return item;
  }

  /** The node must be in this queue. */
  remove(node: QueueNode<Item>): void {
    const tenant = this.#tenantOf(node.item);
    const queue = this.#nodes.get(tenant);
    if (!queue) throw new Error(`no item of ${tenant} is in the queue`);
    queue.item.items.remove(node);
    this.#size--;
    if (queue.item.items.size > 0) return;
    this.#tenants.remove(queue);
    this.#nodes.delete(tenant);
  }

  #enqueue(queue: TenantQueue<Item>): TenantQueue<Item> {
    this.#nodes.set(queue.tenant, this.#tenants.push(queue));
    return queue;
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
class Fifo<Item> {
  #first: QueueNode<Item> | undefined;
  #last: QueueNode<Item> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
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

  /** The node must be in this queue. */
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
