import { expect, test } from "vitest";
import { fc } from "#seeded";
import type { KubeObject } from "../client/object.ts";
import { createObjectStore, type ObjectChange } from "./object-store.ts";

function thing(name: string, uid: string, resourceVersion: string, app = "none"): KubeObject {
  return { apiVersion: "v1", kind: "Thing", metadata: { namespace: "n", name, uid, resourceVersion, labels: { app } } };
}

const byApp = ({ metadata }: KubeObject): readonly string[] => [metadata.labels?.["app"] ?? "none"];

function recordingStore() {
  const changes: ObjectChange[] = [];
  const store = createObjectStore({ onChange: (change) => changes.push(change), indexers: { app: byApp } });
  const seen = () =>
    changes
      .splice(0)
      .map(({ type, key, object: { metadata } }) => `${type} ${key} ${metadata.uid}@${metadata.resourceVersion}`);
  return { store, seen };
}

test("each version of an object is announced once; an object recreated under the same name is announced as deleted and added", () => {
  const { store, seen } = recordingStore();
  store.put(thing("a", "u1", "1"));
  store.put(thing("a", "u1", "1"));
  expect(seen()).toEqual(["added n/a u1@1"]);
  store.put(thing("a", "u1", "2"));
  store.put(thing("a", "u2", "5"));
  expect(seen()).toEqual(["changed n/a u1@2", "deleted n/a u1@2", "added n/a u2@5"]);
  store.delete("n/a", thing("a", "u2", "6"));
  store.delete("n/a");
  expect(seen()).toEqual(["deleted n/a u2@6"]);
  expect(store.size).toBe(0);
});

test("a change is in the store and its indexes before it is announced", () => {
  const found: unknown[] = [];
  const store = createObjectStore({
    indexers: { app: byApp },
    onChange: ({ key }) => found.push([store.get(key)?.metadata.resourceVersion, store.byIndex("app", "x").length]),
  });
  store.put(thing("a", "u1", "1", "x"));
  store.put(thing("a", "u1", "2", "y"));
  store.put(thing("a", "u2", "3", "x"));
  store.delete("n/a");
  expect(found).toEqual([
    ["1", 1],
    ["2", 0],
    [undefined, 0],
    ["3", 1],
    [undefined, 0],
  ]);
});

test("objects without a namespace are kept under their name", () => {
  const { store } = recordingStore();
  store.put({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", uid: "u", resourceVersion: "1" } });
  expect([...store.keys()]).toEqual(["shop"]);
});

test("an unknown index is an error that names the existing ones", () => {
  const { store } = recordingStore();
  expect(() => store.byIndex("team", "a")).toThrow("index team not found; the indexes are: app");
});

function fails(): never {
  throw new Error("no");
}

test("an object that an indexer fails on is kept, reported, and found by the other indexes", () => {
  const failed: string[] = [];
  const store = createObjectStore({
    onChange() {},
    indexers: { fails, app: byApp },
    onIndexerError: (name) => failed.push(name),
  });
  store.put(thing("a", "u1", "1", "x"));
  expect([store.list().length, store.byIndex("app", "x").length, store.byIndex("fails", "x").length]).toEqual([
    1, 1, 0,
  ]);
  expect(failed).toEqual(["fails"]);
});

test("an index finds what a search through all objects finds, and changes replayed give the store", () => {
  const name = fc.constantFrom("a", "b", "c");
  const step = fc.oneof(
    fc.record({
      name,
      uid: fc.constantFrom("u1", "u2"),
      version: fc.nat(5).map(String),
      app: fc.constantFrom("x", "y"),
    }),
    fc.record({ name }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const replayed = new Map<string, KubeObject>();
      const store = createObjectStore({
        indexers: { app: byApp, both: () => ["first", "first", "second"] },
        onChange({ type, key, object }) {
          expect(replayed.has(key)).toBe(type !== "added");
          if (type === "deleted") replayed.delete(key);
          else replayed.set(key, object);
        },
      });
      for (const given of steps) {
        if ("uid" in given) store.put(thing(given.name, given.uid, given.version, given.app));
        else store.delete(`n/${given.name}`);
        expect(new Map(store.list().map((object) => [`n/${object.metadata.name}`, object]))).toEqual(replayed);
        for (const app of ["x", "y"]) {
          const expected = store.list().filter((object) => byApp(object)[0] === app);
          expect(new Set(store.byIndex("app", app))).toEqual(new Set(expected));
        }
        expect(store.byIndex("both", "first")).toHaveLength(store.size);
      }
    }),
  );
});
