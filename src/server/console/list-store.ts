import { type Clock, InputError, type Logger } from "#base";
import { abortable, createReflector, type KubeClient, type KubeObject, type Reflector } from "#kube";
import { installingPart } from "#promotion";
import type { MissingRows } from "./missing-integrations.ts";
import type { ListSource, WatchedKind } from "./row-sources.ts";
import { findOwnScope, isSameScope, type OwnScope } from "./own-scope.ts";
import type { SearchableRow } from "./query-rows.ts";
import type { SharedObjects } from "./shared-objects.ts";

export interface ListStoreOptions {
  readonly source: ListSource;
  /** The person's. */
  readonly client: KubeClient;
  /** With the lists of other sessions. */
  readonly shared: SharedObjects;
  readonly candidates: (signal: AbortSignal) => Promise<readonly string[]>;
  /** What should be there and is not. */
  readonly missing?: MissingRows | undefined;
  readonly onChange: (object: KubeObject) => void;
  /** The person may see more or less than before, or the kind appeared or disappeared. */
  readonly onScopeChange: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Rights are asked about again after this time, and what the person may no longer see is forgotten. */
const trustMs = 30_000;
/** How long a request waits for a first answer of the API server. */
const patienceMs = 20_000;

interface OpenKind {
  readonly scope: OwnScope;
  readonly reflectors: readonly Reflector[];
  readonly ending: AbortController;
}

/** The objects of a list that one person may see, followed with that person's own credentials. */
export class ListStore {
  readonly #options: ListStoreOptions;
  readonly #open = new Map<WatchedKind, OpenKind>();
  /** Undefined after a change. */
  #rows: readonly SearchableRow[] | undefined;
  #absent: string | undefined;
  #checkedAt = -Infinity;
  #hasChecked = false;
  #checking: Promise<void> | undefined;
  readonly #ending = new AbortController();

  constructor(options: ListStoreOptions) {
    this.#options = options;
  }

  /** The kind that the cluster does not have, and how to install it. */
  get absent(): string | undefined {
    return this.#absent;
  }

  /** Why the rows may be out of date. */
  get problem(): string | undefined {
    const problems = [...this.#open.values()].flatMap(({ reflectors }) =>
      reflectors.flatMap((each) => each.problem ?? []),
    );
    return problems[0];
  }

  /** The rows as of now. The first call waits for the API server. */
  async rows(signal: AbortSignal): Promise<readonly SearchableRow[]> {
    await this.ready(signal);
    const { shared, source, missing } = this.#options;
    this.#rows ??= [...source.groups(this.objects())].map(([key, members]) =>
      shared.rowOf(members, () => source.row(members, key)),
    );
    if (!missing) return this.#rows;
    const live = new Set(this.#rows.map(({ row }) => `${row.namespace}/${row.name}`));
    return [...this.#rows, ...missing.rows(live, (namespace) => this.#sees(namespace))];
  }

  /** Why rows may be missing, although what is shown is up to date. */
  get incomplete(): string | undefined {
    return this.#options.missing?.problem;
  }

  /** Whether an object of any of the kinds would be known if it were in this namespace. */
  #sees(namespace: string): boolean {
    return this.#options.source.kinds.every((kind) => {
      const open = this.#open.get(kind);
      if (!open?.reflectors.every(({ hasSynced }) => hasSynced)) return false;
      return open.scope.kind === "everywhere" || open.scope.names.includes(namespace);
    });
  }

  objects(): KubeObject[] {
    return [...this.#open.values()].flatMap(({ reflectors }) => reflectors.flatMap(({ store }) => store.list()));
  }

  /** Resolves when rights are known and everything was read once, or cannot be read for now. */
  async ready(signal: AbortSignal): Promise<void> {
    const { clock, missing } = this.#options;
    // Shared by all requests, so that one that is broken off does not fail the others.
    if (clock.monotonic() - this.#checkedAt > trustMs) await abortable(this.#check(), signal);
    const reflectors = [...this.#open.values()].flatMap((each) => each.reflectors);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    // What cannot be read is in `problem`.
    await Promise.allSettled([...reflectors.map((each) => each.whenSynced(limit)), missing?.ready(limit)]);
    signal.throwIfAborted();
  }

  /** The next question asks about rights anew. */
  doubt(): void {
    this.#checkedAt = -Infinity;
    this.#options.missing?.doubt();
  }

  close(): void {
    this.#ending.abort(new Error("the session has ended"));
    for (const kind of this.#open.keys()) this.#end(kind);
  }

  #check(): Promise<void> {
    this.#checking ??= this.#checkAll(this.#ending.signal).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #checkAll(signal: AbortSignal): Promise<void> {
    const { source, client, clock } = this.#options;
    const before = this.#absent;
    let hasChanged = false;
    this.#absent = undefined;
    for (const kind of source.kinds) {
      const resource = await client.discovery.find(kind, signal).catch((error: unknown) => {
        if (error instanceof InputError) return undefined;
        throw error;
      });
      if (!resource) {
        this.#end(kind);
        const part = source.job === "promote" ? ` --promote ${installingPart(kind.kind)}` : "";
        this.#absent = `the cluster does not have the kind ${kind.kind}; \`tenon run --only ${source.job}${part} --install-crds\` installs it`;
        continue;
      }
      const scope = await findOwnScope(client, resource, this.#options.candidates, signal);
      const known = this.#open.get(kind);
      if (known && isSameScope(known.scope, scope)) continue;
      this.#end(kind);
      signal.throwIfAborted();
      this.#open.set(kind, this.#follow(kind, scope));
      hasChanged = true;
    }
    this.#checkedAt = clock.monotonic();
    const isFirst = !this.#hasChecked;
    this.#hasChecked = true;
    if (!isFirst && (hasChanged || before !== this.#absent)) this.#options.onScopeChange();
  }

  #follow({ apiVersion, kind }: WatchedKind, scope: OwnScope): OpenKind {
    const { client, clock, log, shared, source, onChange } = this.#options;
    const { transform = (object) => object } = source;
    const ending = new AbortController();
    const namespaces = scope.kind === "everywhere" ? [undefined] : scope.names;
    const reflectors = namespaces.map((namespace) => {
      const reflector = createReflector({
        client,
        clock,
        random: Math.random,
        log,
        selection: { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) },
        transform: (object) => shared.share(transform(object)),
      });
      reflector.subscribe(({ object, isInitial }) => {
        this.#rows = undefined;
        if (!isInitial) onChange(object);
      });
      // It ends when it is stopped, and never fails.
      void reflector.run(ending.signal);
      return reflector;
    });
    return { scope, reflectors, ending };
  }

  #end(kind: WatchedKind): void {
    this.#open.get(kind)?.ending.abort(new Error("the list is closed"));
    this.#open.delete(kind);
    this.#rows = undefined;
  }
}
