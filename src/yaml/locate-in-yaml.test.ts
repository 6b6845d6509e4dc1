import { expect, test } from "vitest";
import { locateInYaml } from "./locate-in-yaml.ts";

const text = `# a comment
metadata:
  name: x
  "a.b/c": y
spec:
- image: z
  env: [{name: A, value: 1}, b]
-
  - deep
base: &base
  k: 1
derived:
  <<: *base
  l: 2
again: *base
`;

test.each([
  { reason: "the document itself", path: [], position: { line: 2, column: 1 } },
  { reason: "a key", path: ["metadata", "name"], position: { line: 3, column: 3 } },
  { reason: "a quoted key", path: ["metadata", "a.b/c"], position: { line: 4, column: 3 } },
  { reason: "an item", path: ["spec", 0], position: { line: 6, column: 3 } },
  { reason: "a key of an item", path: ["spec", 0, "env"], position: { line: 7, column: 3 } },
  { reason: "an item in brackets", path: ["spec", 0, "env", 0, "value"], position: { line: 7, column: 19 } },
  { reason: "an item on the next line", path: ["spec", 1, 0], position: { line: 9, column: 5 } },
  { reason: "what a merge takes over, where it is written", path: ["derived", "k"], position: { line: 11, column: 3 } },
  { reason: "what an alias stands for", path: ["again", "k"], position: { line: 11, column: 3 } },
  { reason: "nothing", path: ["metadata", "missing"], position: undefined },
  { reason: "nothing below a scalar", path: ["metadata", "name", "x"], position: undefined },
  { reason: "nothing of the prototype", path: ["constructor"], position: undefined },
])("locateInYaml finds $reason", ({ path, position }) => {
  expect(locateInYaml(text, path)).toEqual(position);
});

test("finds nothing in a text that is not valid YAML", () => {
  expect(locateInYaml("a: b: c", ["a"])).toBeUndefined();
});
