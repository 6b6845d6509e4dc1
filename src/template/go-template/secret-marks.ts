import { elementsOf, type GoValue, mapView, Named, Struct } from "#golang";

/** Which places in a template's data hold secrets. A host marks them once and tracks every rendering by them. */
export class SecretMarks {
  readonly #keys = new WeakMap<object, Set<string | number>>();
  readonly #holders = new WeakSet<object>();

  /** Marks the value of `key` in `container` as secret. Call `hold` with the data after the last mark. */
  mark(container: object, key: string | number): void {
    const keys = this.#keys.get(container);
    if (keys) keys.add(key);
    else this.#keys.set(container, new Set([key]));
    this.#holders.add(container);
  }

  /** Finds all containers in `data` that hold a marked place, at any depth. */
  hold(data: GoValue): boolean {
    return this.#hold(data, new Set());
  }

  #hold(value: GoValue, above: Set<object>): boolean {
    if (typeof value !== "object" || value === null || above.has(value)) return false;
    above.add(value);
    let holds = this.#holders.has(value);
    for (const child of childrenOf(value)) holds = this.#hold(child, above) || holds;
    above.delete(value);
    if (holds) this.#holders.add(value);
    return holds;
  }

  isMarked(container: object, key: string | number): boolean {
    return this.#keys.get(container)?.has(key) ?? false;
  }

  isHolder(value: GoValue): boolean {
    return typeof value === "object" && value !== null && this.#holders.has(value);
  }
}

function childrenOf(value: GoValue): readonly GoValue[] {
  if (value instanceof Named) return [value.underlying];
  if (value instanceof Struct) return Object.values(value.details.fields ?? {});
  const view = mapView(value);
  return view ? view.keys().map((key) => view.get(key)) : (elementsOf(value) ?? []);
}

/** Tracks whether one rendering read, printed or passed on anything secret. */
export class TaintTracker {
  readonly #marks: SecretMarks;
  #tainted = false;

  constructor(marks: SecretMarks) {
    this.#marks = marks;
  }

  /** Whether the output may depend on a secret. */
  get tainted(): boolean {
    return this.#tainted;
  }

  /** A key of a container was read. */
  read(container: GoValue, key: string | number): void {
    if (typeof container === "object" && container !== null && this.#marks.isMarked(container, key))
      this.#tainted = true;
  }

  /** A value was used as a whole: printed, ranged over or passed to a function. */
  use(value: GoValue): void {
    if (this.#marks.isHolder(value)) this.#tainted = true;
  }
}
