import { expect, test } from "vitest";
import { TemplateSet } from "../go-template/index.ts";
import { Budget, tenantLimits } from "#golang";
import { random } from "./random.ts";
import { sprigFunctions } from "./sprig-functions.ts";

function render(text: string): string {
  const set = new TemplateSet({ functions: sprigFunctions });
  set.parse("t", text);
  const budget = new Budget(tenantLimits);
  return set.execute("t", null, { context: { budget, now: () => 0, host: {} } });
}

const digits = "0123456789";
const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index));

test.each([
  { name: "randAlphaNum", alphabet: digits + capitals + capitals.toLowerCase() },
  { name: "randAlpha", alphabet: capitals + capitals.toLowerCase() },
  { name: "randNumeric", alphabet: digits },
  { name: "randAscii", alphabet: printable },
])("$name uses its whole alphabet and nothing else", ({ name, alphabet }) => {
  const text = render(`{{ ${name} 20000 }}`);
  expect(Array.from(new Set(text)).toSorted().join("")).toBe(alphabet);
  expect(text).toHaveLength(20_000);
});

test.each(["randAlphaNum", "randBytes"])("%s beyond the limit is refused before it runs", (name) => {
  expect(() => render(`{{ ${name} 1099511627776 }}`)).toThrow("at once");
});

test("random numbers reach both ends of their range", () => {
  const seen = new Set(render("{{ range until 500 }}{{ randInt -2 2 }} {{ end }}").trim().split(" "));
  expect(Array.from(seen).toSorted()).toEqual(["-1", "-2", "0", "1"]);
});

test("every random function is marked unstable", () => {
  expect(Object.values(random).every(({ unstable }) => unstable === true)).toBe(true);
});
