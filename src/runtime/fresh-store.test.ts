import { expect, test } from "vitest";
import type { KubeObject, ObjectStore, StoreChange } from "#kube";
import { FreshStore } from "./fresh-store.ts";

const object = (version: string, uid = "1"): KubeObject => ({
  apiVersion: "v1",
  kind: "Plug",
  metadata: { namespace: "app", name: "p", uid, resourceVersion: version },
});

function latestOf() {
  const kept = new Map<string, KubeObject>();
  const store: ObjectStore = {
    get size() {
      return kept.size;
    },
    get: (key) => kept.get(key),
    keys: () => kept.keys(),
    list: () => [...kept.values()],
    byIndex: () => [...kept.values()],
  };
  const listeners: ((change: StoreChange) => void)[] = [];
  const subscribe = (listener: (change: StoreChange) => void): Disposable => {
    listeners.push(listener);
    return { [Symbol.dispose]: () => {} };
  };
  function hear(changed: KubeObject): void {
    kept.set("app/p", changed);
    for (const tell of listeners) tell({ type: "changed", key: "app/p", object: changed, isInitial: false });
  }
  return { latest: new FreshStore({ store, subscribe }), kept, hear };
}

test("the fresh store returns our own write until the reflector has a newer version", () => {
  const { latest, kept } = latestOf();
  const version = () => latest.get("app/p")?.metadata.resourceVersion;
  kept.set("app/p", object("1"));
  latest.note(object("3"));
  expect(version()).toBe("3");
  kept.set("app/p", object("2"));
  expect(version()).toBe("3");
  kept.set("app/p", object("4"));
  expect(version()).toBe("4");
});

test("the fresh store drops a write when the reflector has it, even without another get", () => {
  const { latest, kept, hear } = latestOf();
  latest.note(object("3"));
  hear(object("2"));
  expect(latest.get("app/p")?.metadata.resourceVersion).toBe("3");
  hear(object("3"));
  kept.set("app/p", object("1")); // what only a Latest that has forgotten believes
  expect(latest.get("app/p")?.metadata.resourceVersion).toBe("1");
});

test("the fresh store keeps no write that the reflector already has, and of others no managed fields", () => {
  const { latest, kept, hear } = latestOf();
  hear(object("3"));
  latest.note(object("3"));
  kept.set("app/p", object("1")); // shows what is kept
  expect(latest.get("app/p")?.metadata.resourceVersion).toBe("1");
  const { metadata, ...rest } = object("4");
  latest.note({ ...rest, metadata: { ...metadata, managedFields: [{ manager: "tenon" }] } });
  expect(latest.get("app/p")).toEqual(object("4"));
});

test("the fresh store does not return a write of a deleted object, nor for its successor of the same name", () => {
  const { latest, kept } = latestOf();
  kept.set("app/p", object("1"));
  latest.note(object("3"));
  kept.delete("app/p");
  expect(latest.get("app/p")).toBe(undefined);
  latest.note(object("3"));
  kept.set("app/p", object("2", "another"));
  expect(latest.get("app/p")?.metadata.uid).toBe("another");
});

test("a released object counts as deleted although the reflector still has it, but its successor does not", () => {
  const { latest, kept } = latestOf();
  kept.set("app/p", object("1"));
  latest.release(object("1"), "app/p");
  expect(latest.get("app/p")).toBe(undefined);
  expect(latest.byIndex("any", "value")).toEqual([]);
  expect(latest.list()).toEqual([]);
  kept.set("app/p", object("9", "another"));
  expect(latest.get("app/p")?.metadata.uid).toBe("another");
});
