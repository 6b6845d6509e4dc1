import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import type { KubeObject } from "#kube";
import type { ConsoleRow } from "./console-api.ts";
import { SharedObjects } from "./shared-objects.ts";

function thing(uid: string, resourceVersion: string): KubeObject {
  return { apiVersion: "v1", kind: "Thing", metadata: { namespace: "n", name: "a", uid, resourceVersion } };
}

const row: ConsoleRow = { list: "plugs", namespace: "n", name: "a", state: "", waitsOn: "nothing", cells: {} };

test("two sessions that read the same version of an object keep it once", () => {
  const shared = new SharedObjects();
  const first = shared.share(thing("u1", "1"));
  expect(shared.share(thing("u1", "1"))).toBe(first);
  expect(shared.share(thing("u1", "2")), "another version").not.toBe(first);
  expect(shared.share(thing("u2", "1")), "another object").not.toBe(first);
});

test("a row is made again only when one of its objects is another one", () => {
  const shared = new SharedObjects();
  const make = vi.fn<() => ConsoleRow>(() => ({ ...row }));
  const [one, other] = [thing("u1", "1"), thing("u2", "1")];
  const made = shared.rowOf([one, other], make);
  expect(shared.rowOf([one, other], make)).toBe(made);
  expect(make).toHaveBeenCalledTimes(1);
  for (const members of [[one], [one, thing("u2", "2")], [one, other]] as const) {
    expect(shared.rowOf(members, make)).not.toBe(made);
  }
  expect(make).toHaveBeenCalledTimes(4);
});

test("an object that no session keeps any more is forgotten", async () => {
  const shared = new SharedObjects();
  const kept = shared.share(thing("u1", "1"));
  for (const version of ["1", "2", "3"]) shared.share(thing("u2", version));
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  await vi.waitUntil(
    () => {
      collect();
      return shared.size === 1;
    },
    { timeout: 60_000 },
  );
  expect(shared.share(thing("u1", "1"))).toBe(kept);
});
