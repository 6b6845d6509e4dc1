import { expect, test } from "vitest";
import type { KubeObject, ObjectStore } from "#kube";
import { Latest } from "./latest.ts";

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
  return { latest: new Latest(store), kept };
}

test("a write of ours is known before the reflector hears of it, and forgotten once it has heard more", () => {
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

test("what is gone is gone, and one of the same name is another one", () => {
  const { latest, kept } = latestOf();
  kept.set("app/p", object("1"));
  latest.note(object("3"));
  kept.delete("app/p");
  expect(latest.get("app/p")).toBe(undefined);
  latest.note(object("3"));
  kept.set("app/p", object("2", "another"));
  expect(latest.get("app/p")?.metadata.uid).toBe("another");
});

test("what was released counts as gone although the reflector still has it, but not its successor", () => {
  const { latest, kept } = latestOf();
  kept.set("app/p", object("1"));
  latest.release(object("1"), "app/p");
  expect(latest.get("app/p")).toBe(undefined);
  expect(latest.byIndex("any", "value")).toEqual([]);
  expect(latest.list()).toEqual([]);
  kept.set("app/p", object("9", "another"));
  expect(latest.get("app/p")?.metadata.uid).toBe("another");
});
