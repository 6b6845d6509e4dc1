import { expect, test } from "vitest";
import { annotationBytes, fitAnnotations, mostAnnotationBytes } from "./fit-annotations.ts";

const large = (bytes: number) => "x".repeat(bytes);

test.for([
  { reason: "there is room", current: {}, changes: { a: "1", b: "2" }, fitting: { a: "1", b: "2" } },
  {
    reason: "the first ones fit",
    current: { big: large(mostAnnotationBytes - 3 - 4) },
    changes: { a: "123", b: "1" },
    fitting: { a: "123" },
  },
  {
    reason: "a small one fits after a large one that does not",
    current: { big: large(mostAnnotationBytes - 3 - 4) },
    changes: { a: "12345", b: "1" },
    fitting: { b: "1" },
  },
  {
    reason: "one takes the place of its old value",
    current: { a: large(mostAnnotationBytes - 1) },
    changes: { a: "1", b: "2" },
    fitting: { a: "1", b: "2" },
  },
  {
    reason: "one that is removed makes room",
    current: { old: large(mostAnnotationBytes - 3) },
    changes: { old: null, b: "2" },
    fitting: { old: null, b: "2" },
  },
])("annotations that fit into an object: $reason", ({ current, changes, fitting }) => {
  expect(fitAnnotations(current, changes)).toEqual(fitting);
});

test("bytes count, not characters, of names and values", () => {
  expect(annotationBytes({ ab: "é", c: "" })).toBe(5);
});
