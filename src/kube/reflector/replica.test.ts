import { expect, test } from "vitest";
import { fc } from "#seeded";
import type { KubeObject } from "../client/object.ts";
import { createObjectStore, type ObjectChange } from "./object-store.ts";
import { Replica } from "./replica.ts";
import { isNewerVersion } from "./resource-version.ts";
import type { WatchEvent } from "../client/watch-events.ts";

/** A cluster of a few objects: what it holds now, and every event that led there. */
class History {
  readonly objects = new Map<string, KubeObject>();
  readonly events: WatchEvent[] = [];

  get version(): number {
    return this.events.length;
  }

  touch(name: string, isDeletion: boolean): void {
    const before = this.objects.get(name);
    if (isDeletion && !before) return;
    const resourceVersion = `${this.version + 1}`;
    const uid = before?.metadata.uid ?? `uid-${resourceVersion}`;
    const object = { apiVersion: "v1", kind: "Thing", metadata: { name, uid, resourceVersion } };
    if (isDeletion) this.objects.delete(name);
    else this.objects.set(name, object);
    this.events.push({ type: isDeletion ? "DELETED" : before ? "MODIFIED" : "ADDED", object });
  }
}

const write = fc.record({ name: fc.constantFrom("a", "b", "c"), isDeletion: fc.boolean() });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("write" as const), write }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("watch" as const), events: fc.nat(4), repeated: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("break off" as const), items: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("list" as const), between: fc.array(write, { maxLength: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("expire" as const) }) },
);

test("wherever lists and watches are interrupted, the replica ends equal to the cluster, and each change is announced once", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cluster = new History();
      const changes: ObjectChange[] = [];
      const store = createObjectStore({ onChange: (change) => changes.push(change) });
      const replica = new Replica(store, (object) => object);

      const breakOff = (items: number): void => {
        replica.losePosition();
        const replacement = replica.replace();
        for (const object of [...cluster.objects.values()].slice(0, items)) replacement.put(object);
      };
      /** In two pages, the second of which may show a later moment. */
      const list = (between: readonly { name: string; isDeletion: boolean }[] = []): void => {
        const replacement = replica.replace();
        const version = cluster.version;
        for (const object of cluster.objects.values()) if (object.metadata.name <= "a") replacement.put(object);
        for (const change of between) cluster.touch(change.name, change.isDeletion);
        for (const object of cluster.objects.values()) if (object.metadata.name > "a") replacement.put(object);
        replacement.end(`${version}`);
      };
      const watch = (events: number, repeated: number): void => {
        if (replica.position === undefined) list();
        const from = Number(replica.position);
        for (const event of cluster.events.slice(Math.max(0, from - repeated), from + events)) replica.apply(event);
      };

      for (const given of steps) {
        if (given.do === "write") cluster.touch(given.write.name, given.write.isDeletion);
        else if (given.do === "watch") watch(given.events, given.repeated);
        else if (given.do === "expire") replica.losePosition();
        else if (given.do === "break off") breakOff(given.items);
        else list(given.between);
      }
      watch(Number.POSITIVE_INFINITY, 0);

      expect(byName(store.list())).toEqual(byName(cluster.objects.values()));
      const { objects, faults } = replay(changes);
      expect(faults).toEqual([]);
      expect(byName(objects.values())).toEqual(byName(cluster.objects.values()));
    }),
    { numRuns: 500 },
  );
});

function byName(objects: Iterable<KubeObject>): Map<string, KubeObject> {
  return new Map([...objects].map((object) => [object.metadata.name, object]));
}

/** A fault is an object added twice, changed while it is not there, or told in a version it was past already. */
function replay(changes: readonly ObjectChange[]): { objects: Map<string, KubeObject>; faults: ObjectChange[] } {
  const objects = new Map<string, KubeObject>();
  const versions = new Map<string, string>();
  const faults: ObjectChange[] = [];
  for (const change of changes) {
    const { type, key, object } = change;
    const { resourceVersion = "", uid } = object.metadata;
    const before = objects.get(key);
    const fits = type === "added" ? before === undefined : before?.metadata.uid === uid;
    const isNews = type === "deleted" || isNewerVersion(resourceVersion, versions.get(key) ?? "0");
    if (!fits || !isNews) faults.push(change);
    versions.set(key, resourceVersion);
    if (type === "deleted") objects.delete(key);
    else objects.set(key, object);
  }
  return { objects, faults };
}
