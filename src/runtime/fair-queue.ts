interface Line<Item> {
  readonly name: string;
  readonly items: Fifo<Item>;
}

/** Lines that take turns: whoever is first in one is passed by one item of each other, however long those are. */
export class FairQueue<Item> {
  readonly #nameOf: (item: Item) => string;
  readonly #lines = new Fifo<Line<Item>>();
  readonly #places = new Map<string, QueueNode<Line<Item>>>();
  #size = 0;

  constructor(nameOf: (item: Item) => string) {
    this.#nameOf = nameOf;
  }

  get size(): number {
    return this.#size;
  }

  push(item: Item): QueueNode<Item> {
    const name = this.#nameOf(item);
    const line = this.#places.get(name)?.item ?? this.#join({ name, items: new Fifo() });
    this.#size++;
    return line.items.push(item);
  }

  shift(): Item | undefined {
    const line = this.#lines.shift();
    if (!line) return undefined;
    this.#places.delete(line.name);
    const item = line.items.shift();
    this.#size--;
    if (line.items.size > 0) this.#join(line);
    return item;
  }

  /** The place must be in one of these lines. */
  remove(place: QueueNode<Item>): void {
    const name = this.#nameOf(place.item);
    const turn = this.#places.get(name);
    if (!turn) throw new Error(`nobody is in line for ${name}`);
    turn.item.items.remove(place);
    this.#size--;
    if (turn.item.items.size > 0) return;
    this.#lines.remove(turn);
    this.#places.delete(name);
  }

  #join(line: Line<Item>): Line<Item> {
    this.#places.set(line.name, this.#lines.push(line));
    return line;
  }
}

/** A place in a `Fifo`; whoever holds it can leave the line from anywhere in it. */
export interface QueueNode<Item> {
  readonly item: Item;
  before: QueueNode<Item> | undefined;
  after: QueueNode<Item> | undefined;
}

/**
 * First in, first out, in constant time, with leaving from the middle.
 * A linked list because a `Set` is no queue: V8 steps over the deleted entries at its front each time the first is asked for.
 */
class Fifo<Item> {
  #first: QueueNode<Item> | undefined;
  #last: QueueNode<Item> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: Item): QueueNode<Item> {
    const place: QueueNode<Item> = { item, before: this.#last, after: undefined };
    if (this.#last) this.#last.after = place;
    else this.#first = place;
    this.#last = place;
    this.#size++;
    return place;
  }

  shift(): Item | undefined {
    const first = this.#first;
    if (first) this.remove(first);
    return first?.item;
  }

  /** The place must be in this line. */
  remove(place: QueueNode<Item>): void {
    if (place.before) place.before.after = place.after;
    else this.#first = place.after;
    if (place.after) place.after.before = place.before;
    else this.#last = place.before;
    place.before = undefined;
    place.after = undefined;
    this.#size--;
  }
}
