import type { Logger } from "#base";
import {
  createObjectStore,
  createReflector,
  type ObjectSelection,
  type Reflector,
  type ReflectorOptions,
  type StoreChange,
} from "#kube";

export interface ScopedReflectorOptions extends Omit<ReflectorOptions, "selection" | "log"> {
  /** What to watch in a namespace. */
  readonly selectIn: (namespace: string) => ObjectSelection;
  readonly log: Logger;
  /** Resolves when the namespaces are known, and each of them has been read or cannot be. */
  readonly whenSynced: (signal?: AbortSignal) => Promise<void>;
  /** Whether all namespaces have been read. */
  readonly hasSynced: () => boolean;
  /** Called when it is run: its namespaces must be known from now on. */
  readonly onRun: () => void;
}

/** Objects of several namespaces in one store, with a watch for each namespace. */
export class ScopedReflector implements Reflector {
  readonly #options: ScopedReflectorOptions;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  readonly #parts = new Map<string, Part>();
  readonly #running = new Set<Promise<void>>();
  readonly #store;
  #signal: AbortSignal | undefined;
  /** While the objects of a namespace are taken in, which existed before. */
  #isInitial = false;

  constructor(options: ScopedReflectorOptions) {
    this.#options = options;
    const { indexers = {}, log } = options;
    this.#store = createObjectStore({
      indexers,
      onChange: (change) => this.#announce({ ...change, isInitial: this.#isInitial }),
      onIndexerError: (index, error) => log.error("an indexer failed", { index, error }),
    });
  }

  get store() {
    return this.#store;
  }

  get hasSynced(): boolean {
    return this.#options.hasSynced();
  }

  get problem(): string | undefined {
    const problems = [...this.#parts.values()].flatMap(({ reflector }) => reflector.problem ?? []);
    return problems.length === 0 ? undefined : problems.join("; ");
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#options.whenSynced(signal);
  }

  /** Usable without the object, as that of other reflectors is. */
  readonly subscribe = (listener: (change: StoreChange) => void): Disposable => {
    const subscription = (change: StoreChange): void => listener(change);
    this.#listeners.add(subscription);
    return { [Symbol.dispose]: () => void this.#listeners.delete(subscription) };
  };

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const part of this.#parts.values()) this.#start(part);
    this.#options.onRun();
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await Promise.all(this.#running);
  }

  /** Watches a namespace. Its objects are in the store from `open` on. */
  add(namespace: string, ending: AbortSignal): Reflector {
    const { selectIn, client, clock, random, metrics, log, transform } = this.#options;
    const reflector = createReflector({
      client,
      clock,
      random,
      log,
      ...(metrics ? { metrics } : {}),
      ...(transform ? { transform } : {}),
      selection: selectIn(namespace),
    });
    const part: Part = { reflector, ending, subscription: undefined };
    this.#parts.set(namespace, part);
    this.#start(part);
    return reflector;
  }

  open(namespace: string): void {
    const part = this.#parts.get(namespace);
    if (!part) return;
    this.#isInitial = true;
    for (const object of part.reflector.store.list()) this.#store.put(object);
    this.#isInitial = false;
    part.subscription = part.reflector.subscribe(({ type, key, object }) => {
      if (type === "deleted") this.#store.delete(key, object);
      else this.#store.put(object);
    });
  }

  /** The namespace is not followed any more: its objects leave the store, and exist on. */
  remove(namespace: string): void {
    const part = this.#parts.get(namespace);
    this.#parts.delete(namespace);
    if (!part?.subscription) return;
    part.subscription[Symbol.dispose]();
    for (const key of part.reflector.store.keys()) this.#store.delete(key);
  }

  #start({ reflector, ending }: Part): void {
    if (!this.#signal) return;
    const running = reflector.run(AbortSignal.any([this.#signal, ending])).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #announce(change: StoreChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#options.log.error("a subscriber failed", { key: change.key, error });
      }
    }
  }
}

interface Part {
  readonly reflector: Reflector;
  readonly ending: AbortSignal;
  subscription: Disposable | undefined;
}
