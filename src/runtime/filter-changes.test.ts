import { expect, test } from "vitest";
import type { KubeObject, StoreChange } from "#kube";
import { userChanges, filterChanges } from "./filter-changes.ts";

const object = (generation: number, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Plug",
  metadata: { namespace: "app", name: "p", uid: "1", generation, ...more },
});

function told(
  there: readonly KubeObject[],
  changes: readonly (readonly [StoreChange["type"], KubeObject])[],
): string[] {
  const cached: string[] = [];
  let tell: ((change: StoreChange) => void) | undefined;
  const reflector = {
    store: { size: 0, get: () => undefined, keys: () => [], list: () => [...there], byIndex: () => [] },
    hasSynced: true,
    problem: undefined,
    whenSynced: async () => {},
    run: async () => {},
    subscribe: (listener: (change: StoreChange) => void) => {
      tell = listener;
      return { [Symbol.dispose]: () => {} };
    },
  };
  filterChanges(reflector, userChanges).subscribe(({ type }) => cached.push(type));
  for (const [type, changed] of changes) tell?.({ type, key: "app/p", object: changed, isInitial: false });
  return cached;
}

test("a status write is not reported; a new generation, an annotation and a deletion are", () => {
  expect(
    told(
      [object(1)],
      [
        ["changed", object(1, { resourceVersion: "2" })],
        ["changed", object(2)],
        ["changed", object(2, { annotations: { a: "b" } })],
        ["changed", object(2, { annotations: { a: "b" }, labels: { c: "d" } })],
        ["changed", object(2, { annotations: { a: "b" }, deletionTimestamp: "now" })],
        ["deleted", object(2)],
        ["added", object(2)],
      ],
    ),
  ).toEqual(["changed", "changed", "changed", "deleted", "added"]);
});

test("another object of the same name is reported", () => {
  expect(told([object(1)], [["changed", object(1, { uid: "2" })]])).toEqual(["changed"]);
});
