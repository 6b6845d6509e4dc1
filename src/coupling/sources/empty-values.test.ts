import { expect, test } from "vitest";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { describeEmpty, emptyReadsOf } from "./empty-values.ts";

const pair = samplePair(
  { resultVars: [{ name: "late", objref: { version: "v1", kind: "Pod", name: "a" } }] },
  { interface: { config: { plug: { size: {} } }, result: { socket: { url: {} } } } },
);
const told = (expression: string, side: "plug" | "socket" = "plug") =>
  emptyReadsOf([{ template: "spec.resources[0].template", line: 3, expression }], pair, side).map(
    ({ message }) => message,
  );

test.each([
  { expression: ".plugConfig.size", side: "plug" as const, reason: "a key that the interface declares" },
  { expression: "$.plugConfig.size", side: "socket" as const, reason: "the same, from a loop" },
  { expression: ".result.url", side: "socket" as const, reason: "a result that the interface declares" },
  { expression: ".resultVars.late", side: "plug" as const, reason: "a result var, which may appear late" },
])("a value that is often absent causes no warning: $reason", ({ expression, side }) => {
  expect(told(expression, side)).toEqual([]);
});

test("a warning names template, line and field", () => {
  const [message] = told(".plugConfig.sise");
  expect(message).toBe("spec.resources[0].template line 3: .plugConfig.sise does not exist, and is empty");
  expect(told(".resultVars.late", "socket")).toHaveLength(1);
});

test("many warnings are one text with the first five", () => {
  const values = Array.from({ length: 8 }, (_, index) => ({ side: "plug" as const, message: `m${index % 7}` }));
  expect(describeEmpty(values)).toBe("m0; m1; m2; m3; m4; and 2 more");
  expect(describeEmpty([])).toBe(undefined);
});
