import { expect, test } from "vitest";
import { nodeSlice, offersSame } from "./resource-slice.ts";

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", uid: "u1" } };

test("a node offers as many slots as it has, and ignores what the API server adds", () => {
  const slice = nodeSlice(node, 3);
  expect(slice["spec"]).toMatchObject({ devices: [{ name: "slot-0" }, { name: "slot-1" }, { name: "slot-2" }] });
  const live = { ...slice, metadata: { ...slice.metadata, generation: 4, resourceVersion: "7" } };
  expect(offersSame(slice, live)).toBe(true);
});

test.for([
  { reason: "it is gone", found: undefined },
  { reason: "it has fewer slots", found: nodeSlice(node, 2) },
  {
    reason: "it belongs to an earlier node of that name",
    found: nodeSlice({ ...node, metadata: { name: "n1", uid: "u0" } }, 3),
  },
])("slots are published again when $reason", ({ found }) => {
  expect(offersSame(nodeSlice(node, 3), found)).toBe(false);
});
