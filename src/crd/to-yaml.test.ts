import { load } from "js-yaml";
import { expect, test } from "vitest";
import { fc } from "#seeded";
import { toYaml } from "./to-yaml.ts";

test("what it writes is read back the same", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, noUnicodeString: false }), (value) => {
      const json: unknown = JSON.parse(JSON.stringify(value));
      expect(load(toYaml(json))).toStrictEqual(json);
    }),
    { seed: 1, numRuns: 300 },
  );
});

test("it looks like what people write", () => {
  const text = toYaml({ kind: "Widget", on: "yes", list: [{ a: 1, b: [] }, "x"], empty: {} });
  expect(text).toBe('kind: Widget\n"on": "yes"\nlist:\n- a: 1\n  b: []\n- x\nempty: {}\n');
});
