/** What names mean at a place in a template. A name that is declared again hides its earlier meanings until the scope ends. */
export class ScopedNames<Meaning> {
  /** In the order of declaration. */
  readonly #names: string[] = [];
  readonly #meanings = new Map<string, Meaning[]>();

  get size(): number {
    return this.#names.length;
  }

  declare(name: string, meaning: Meaning): void {
    const meanings = this.#meanings.get(name);
    if (meanings) meanings.push(meaning);
    else this.#meanings.set(name, [meaning]);
    this.#names.push(name);
  }

  copy(): ScopedNames<Meaning> {
    const copy = new ScopedNames<Meaning>();
    copy.#names.push(...this.#names);
    for (const [name, meanings] of this.#meanings) copy.#meanings.set(name, [...meanings]);
    return copy;
  }

  /** All meanings of a name, oldest first. */
  of(name: string): readonly Meaning[] {
    return this.#meanings.get(name) ?? [];
  }

  /** Ends a scope: forgets what was declared since there were `size` names. */
  cutTo(size: number): void {
    for (const name of this.#names.splice(size)) this.#meanings.get(name)?.pop();
  }
}
