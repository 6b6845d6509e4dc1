import { describe, expect, it } from "vitest";
import { TemplateSet } from "../go-template/index.ts";
import { Budget, chartLimits, type GoValue } from "#golang";
import { sprigFunctions } from "./sprig-functions.ts";

function render(text: string, data: GoValue): string {
  const set = new TemplateSet({ functions: sprigFunctions });
  set.parse("t", text);
  return set.execute("t", data, { context: { budget: new Budget(chartLimits), now: () => 0, host: {} } });
}

// Go's order differs from run to run, so the oracle has no say in it.
describe("the order of keys", () => {
  const data = { map: { b: 2, 10: 3, a: 1, ä: 5, B: 4 } };

  it.each([
    { reason: "keys", text: "{{ keys .map }}", output: "[10 B a b ä]" },
    { reason: "values", text: "{{ values .map }}", output: "[3 4 1 2 5]" },
    { reason: "keys of several maps, each", text: '{{ keys .map (dict "a" 1) }}', output: "[10 B a b ä a]" },
  ])("$reason of a map are sorted by key", ({ text, output }) => {
    expect(render(text, data)).toBe(output);
  });
});
