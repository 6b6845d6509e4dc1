import { expect, test } from "vitest";
import { parseClusterContexts, parseClusterReaches } from "./cluster-reach.ts";

test("--cluster-context says which context a cluster is", () => {
  expect([...parseClusterContexts(["a=b", "c=d=e"])]).toEqual([
    ["a", { context: "b" }],
    ["c", { context: "d=e" }],
  ]);
});

test.each([
  { reason: "no =", texts: ["a"] },
  { reason: "no name", texts: ["=b"] },
  { reason: "no context", texts: ["a="] },
  { reason: "twice", texts: ["a=b", "a=c"] },
])("--cluster-context is refused: $reason", ({ texts }) => {
  expect(() => parseClusterContexts(texts)).toThrow("--cluster-context");
});

test("the block `clusters` says the same, or that it is the cluster we run in", () => {
  const block = { a: { context: "b" }, c: { inCluster: true } };
  expect(Object.fromEntries(parseClusterReaches(block, "tenon.yaml"))).toEqual(block);
  expect(parseClusterReaches(undefined, "tenon.yaml").size).toBe(0);
  expect(() => parseClusterReaches({ a: { contxt: "b" } }, "tenon.yaml")).toThrow("tenon.yaml: `clusters`");
});
