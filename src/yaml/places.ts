/** Where the entries of lists and maps stand in the text: the offset of an item, or of an entry's key. */
export class Places {
  readonly #places = new Map<object, Map<string | number, number>>();

  record(container: object, step: string | number, position: number): void {
    const known = this.#places.get(container);
    if (known) known.set(step, position);
    else this.#places.set(container, new Map([[step, position]]));
  }

  find(container: object, step: string | number): number | undefined {
    return this.#places.get(container)?.get(step);
  }
}
