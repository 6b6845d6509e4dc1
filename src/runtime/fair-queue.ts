import { Fifo, type QueueNode } from "./fifo.ts";

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
