import { expect, test } from "vitest";
import { PlugData, PlugTemplate } from "../plug/index.ts";

const data = new PlugData({ plug: { spec: { a: "1", list: ["x", "y"], none: null } }, vars: { image: "i" } });
const missingIn = (text: string) => new PlugTemplate(text, { name: "t" }).render(data).missing;

test.each([
  { text: "a\n{% .vars.imgae %}", found: [".vars.imgae 2"], reason: "a misspelt var" },
  { text: "{% .vars.imgae | quote %}", found: [".vars.imgae 1"], reason: "a function hides that it is empty" },
  { text: "{% .plug.spec.b.c %}", found: [".plug.spec.b.c 1"], reason: "a field of a field that is not there" },
  { text: '{% printf "%s-%s" .vars.x .vars.y %}', found: [".vars.x 1", ".vars.y 1"], reason: "both operands" },
  { text: "{% range .plug.spec.list %}{% $.vars.z %}{% end %}", found: ["$.vars.z 1"], reason: "a loop says it once" },
  { text: "{% .plug.spec.none %}", found: [".plug.spec.none 1"], reason: "a field that is null" },
  { text: "{% .vars.image %}{% .plug.spec.a %}", found: [], reason: "all is there" },
  { text: '{% .vars.imgae | default "x" %}', found: [], reason: "default provides for it" },
  { text: '{% coalesce .vars.a .vars.b "x" %}', found: [], reason: "coalesce provides for it" },
  { text: "{% if .vars.imgae %}{% .vars.imgae %}{% end %}", found: [], reason: "if provides for it" },
  { text: "{% with .vars.imgae %}{% . %}{% end %}", found: [], reason: "with provides for it" },
  { text: '{% if hasKey .vars "x" %}{% .vars.x %}{% end %}', found: [], reason: "hasKey provides for it" },
  { text: "{% or .vars.imgae .vars.image %}", found: [], reason: "or provides for it" },
  { text: "{% range .vars.list %}{% .x %}{% end %}", found: [], reason: "a loop over nothing" },
])("a template reports what it prints although it has no value: $reason", ({ text, found }) => {
  expect(missingIn(text).map(({ expression, line }) => `${expression} ${line}`)).toEqual(found);
});

test("a template that is one action reports it, too", () => {
  const rendering = new PlugTemplate("{% .vars.imgae %}", { name: "t" }).renderIfPresent(data);
  expect(rendering).toMatchObject({
    text: undefined,
    missing: [{ template: "t", line: 1, expression: ".vars.imgae" }],
  });
});

test("what is reported is bounded", () => {
  const names = Array.from({ length: 100 }, (_, index) => `{% .vars.v${index} %}`);
  expect(missingIn(names.join(""))).toHaveLength(20);
  expect(missingIn(`{% .vars.${"x".repeat(1_000)} %}`)[0]?.expression).toHaveLength(100);
});
