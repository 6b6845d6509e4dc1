import type { KubeObject } from "#kube";
import type { ConsoleRow } from "./console-api.ts";
import { searchable, type SearchableRow } from "./query-rows.ts";
import type { RowMembers } from "./row-sources.ts";

/**
 * What several sessions have read, each with its own credentials, kept in memory once. The API server gives everyone who may read
 * an object the same content for the same uid and resourceVersion. Nothing is kept for longer than a session uses it.
 */
export class SharedObjects {
  readonly #objects = new Map<string, WeakRef<KubeObject>>();
  readonly #rows = new WeakMap<KubeObject, { readonly members: RowMembers; readonly row: SearchableRow }>();
  readonly #unused = new FinalizationRegistry<string>((id) => {
    if (this.#objects.get(id)?.deref() === undefined) this.#objects.delete(id);
  });

  /** How many objects are kept, of which some may be unused by now. */
  get size(): number {
    return this.#objects.size;
  }

  /** The object, or the equal one that another session has read. */
  share(object: KubeObject): KubeObject {
    const { uid, resourceVersion } = object.metadata;
    if (uid === undefined || resourceVersion === undefined) return object;
    const id = `${uid}/${resourceVersion}`;
    const known = this.#objects.get(id)?.deref();
    if (known) return known;
    this.#objects.set(id, new WeakRef(object));
    this.#unused.register(object, id);
    return object;
  }

  /** The row of these objects, which is made again only when one of them is another one. */
  rowOf(members: RowMembers, make: () => ConsoleRow): SearchableRow {
    const [first] = members;
    const known = this.#rows.get(first);
    if (known?.members.length === members.length && members.every((each, at) => each === known.members[at])) {
      return known.row;
    }
    const row = searchable(make());
    this.#rows.set(first, { members, row });
    return row;
  }
}
