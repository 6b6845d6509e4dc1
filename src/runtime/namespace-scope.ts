import type { Clock, Logger, Metrics } from "#base";
import {
  abortable,
  createReflector,
  type KubeClient,
  type ObjectSelection,
  type Reflector,
  type ReflectorOptions,
} from "#kube";
import { ScopedReflector } from "./scoped-reflector.ts";

/** Namespaces by their names, or by a label selector such as `team=shop`. */
export type NamespaceChoice = { readonly names: readonly string[] } | { readonly selector: string };

/** What to watch in each of the namespaces. */
export interface ScopedSelection extends Pick<ReflectorOptions, "indexers" | "transform"> {
  readonly selection: Omit<ObjectSelection, "namespace">;
}

/** The namespaces that a process works in. */
export interface NamespaceScope {
  /**
   * Whether the namespace is one of them, and everything in it that is watched has been read. An object of another namespace is
   * not in the stores, which does not mean that it does not exist.
   */
  covers(namespace: string): boolean;
  /** The namespaces themselves; metadata only. */
  readonly namespaces: Reflector;
  /** The objects of a kind in these namespaces. To be called before the first reflector runs. */
  reflect(selection: ScopedSelection): Reflector;
}

export interface NamespaceScopeOptions {
  /** Default: all namespaces. */
  readonly choice?: NamespaceChoice | undefined;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
}

export function createNamespaceScope({ choice, ...parts }: NamespaceScopeOptions): NamespaceScope {
  if (choice) return new LimitedScope(choice, parts);
  return {
    covers: () => true,
    namespaces: createReflector({ ...parts, selection: namespaceSelection }),
    reflect: (selection) => createReflector({ ...parts, ...selection }),
  };
}

const namespaceSelection = { apiVersion: "v1", kind: "Namespace", metadataOnly: true } as const;
/** How often a namespace that is being read is asked for a problem. */
const lookMs = 500;

interface OpenNamespace {
  readonly ending: AbortController;
  /** Resolves when it is read, cannot be read for now, or has left. */
  readonly settled: Promise<void>;
  isRead: boolean;
}

/**
 * Each namespace has watches of its own, so that a Role in that namespace suffices, and so that a namespace costs nothing before
 * it matches. All objects of a namespace become visible at once: a plug whose socket is not read yet would look abandoned.
 */
class LimitedScope implements NamespaceScope {
  readonly namespaces: Reflector;
  readonly #parts: Omit<NamespaceScopeOptions, "choice">;
  readonly #members: ScopedReflector[] = [];
  readonly #open = new Map<string, OpenNamespace>();
  readonly #names: readonly string[];
  readonly #matching: Reflector | undefined;
  #hasBegun = false;

  constructor(choice: NamespaceChoice, parts: Omit<NamespaceScopeOptions, "choice">) {
    this.#parts = parts;
    if ("names" in choice) {
      this.#names = choice.names;
      // With this field selector, a ClusterRole can grant the watch of these namespaces by name.
      this.namespaces = this.#member({}, (name) => ({ ...namespaceSelection, fieldSelector: `metadata.name=${name}` }));
      return;
    }
    this.#names = [];
    const matching = createReflector({
      ...parts,
      selection: { ...namespaceSelection, labelSelector: choice.selector },
    });
    matching.subscribe(({ type, key }) => (type === "deleted" ? this.#leave(key) : this.#enter(key)));
    this.#matching = matching;
    this.namespaces = matching;
  }

  covers(namespace: string): boolean {
    return this.#open.get(namespace)?.isRead === true;
  }

  reflect({ selection, ...rest }: ScopedSelection): Reflector {
    return this.#member(rest, (namespace) => ({ ...selection, namespace }));
  }

  #member(rest: Omit<ScopedSelection, "selection">, selectIn: (namespace: string) => ObjectSelection): ScopedReflector {
    const member = new ScopedReflector({
      ...this.#parts,
      ...rest,
      selectIn,
      onRun: () => this.#begin(),
      whenSynced: (signal) => this.#whenSynced(signal),
      hasSynced: () => this.#hasSynced(),
    });
    this.#members.push(member);
    return member;
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    for (const name of this.#names) this.#enter(name);
  }

  #hasSynced(): boolean {
    if (!this.#hasBegun || this.#matching?.hasSynced === false) return false;
    return [...this.#open.values()].every(({ isRead }) => isRead);
  }

  /** One namespace that cannot be read keeps the others from nothing. */
  async #whenSynced(signal?: AbortSignal): Promise<void> {
    this.#begin();
    await this.#matching?.whenSynced(signal);
    await abortable(Promise.all([...this.#open.values()].map(({ settled }) => settled)), signal);
  }

  #enter(name: string): void {
    if (this.#open.has(name)) return;
    const ending = new AbortController();
    const reflectors = this.#members.map((member) => member.add(name, ending.signal));
    const read = this.#read(name, reflectors, ending.signal);
    this.#open.set(name, { ending, isRead: false, settled: this.#settle(reflectors, read, ending.signal) });
  }

  async #read(name: string, reflectors: readonly Reflector[], left: AbortSignal): Promise<void> {
    await Promise.all(reflectors.map((reflector) => reflector.whenSynced(left)));
    const entered = this.#open.get(name);
    if (left.aborted || !entered) return;
    entered.isRead = true;
    for (const member of this.#members) member.open(name);
    this.#parts.log.info("working in a namespace", { namespace: name });
  }

  async #settle(reflectors: readonly Reflector[], read: Promise<void>, left: AbortSignal): Promise<void> {
    const over = read.then(
      () => true,
      () => true, // it left, or the process ends
    );
    for (let isOver = false; !isOver && reflectors.every(({ problem }) => problem === undefined); ) {
      const moment = this.#parts.clock.sleep(lookMs, left).then(
        () => false,
        () => false,
      );
      isOver = await Promise.race([over, moment]);
    }
  }

  /** Its objects stay as they are, for the operator that works there next. */
  #leave(name: string): void {
    const entered = this.#open.get(name);
    if (!entered) return;
    this.#open.delete(name);
    entered.ending.abort(new Error(`namespace ${name} does not match any more`));
    for (const member of this.#members) member.remove(name);
    this.#parts.log.info("no longer working in a namespace", { namespace: name });
  }
}
