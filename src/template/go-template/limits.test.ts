import { expect, test } from "vitest";
import { FunctionError, type FunctionSet, goFunction, type GoObject, tenantLimits } from "#golang";
import { renderText, testExecution } from "./render-text.fixture.ts";
import { TemplateError } from "./template-error.ts";
import { TemplateSet } from "./template-set.ts";

function nested(open: string, inner: string, close: string, count: number): string {
  return open.repeat(count) + inner + close.repeat(count);
}

test.each([
  { reason: "a loop in a loop", text: "{{ range 1000000000 }}{{ range 1000000000 }}{{ end }}{{ end }}", says: "steps" },
  { reason: "endless text", text: "{{ range 1000000000 }}0123456789{{ end }}", says: "writes more than 1048576 bytes" },
  { reason: "endless recursion", text: '{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}', says: "(100)" },
  { reason: "a wide number", text: '{{ printf "%9999999d" 1 }}', says: "at once" },
  { reason: "doubling", text: '{{ $x := "x" }}{{ range 99 }}{{ $x = print $x $x }}{{ end }}', says: "at once" },
  { reason: "escaping", text: '{{ $x := "<" }}{{ range 99 }}{{ $x = html $x $x }}{{ end }}', says: "at once" },
])("D.1: a template that exceeds a limit ends in an ordinary template error: $reason", ({ text, says }) => {
  expect(() => renderText(text, {}, { limits: tenantLimits })).toThrow(TemplateError);
  expect(() => renderText(text, {}, { limits: tenantLimits })).toThrow(says);
});

test("an exceeded limit is reported with its place", () => {
  const text = '{{ define "x" }}\n{{ range 1000000000 }}{{ end }}{{ end }}{{ template "x" }}';
  expect(() => renderText(text, {}, { limits: tenantLimits })).toThrow(
    'template: t:2:9: executing "x" at <1000000000>: takes more than 1000000 steps',
  );
});

test.each([
  { reason: "parentheses", text: nested("{{ (", "1", ") }}", 1).replace("(", "(".repeat(20_000)) },
  { reason: "calls", text: `{{ ${nested("not (", "1", ")", 9_000)} }}` },
  { reason: "blocks", text: nested("{{ if 1 }}", "x", "{{ end }}", 20_000) },
  { reason: "else if", text: `{{ if 0 }}${"{{ else if 0 }}".repeat(20_000)}{{ end }}` },
])("excessive nesting of $reason is a template error", ({ text }) => {
  expect(() => renderText(text)).toThrow(TemplateError);
});

test("ten thousand nested parentheses are allowed, as in Go", () => {
  expect(renderText(`{{ ${nested("(", "1", ")", 9_999)} }}`)).toBe("1");
});

test("printing data that contains itself is a template error", () => {
  const data: GoObject = {};
  data["self"] = data;
  expect(() => renderText("{{ . }}", data)).toThrow(TemplateError);
});

function withInclude(text: string): TemplateSet {
  const set: TemplateSet = new TemplateSet({ functions: functions() });
  function functions(): FunctionSet {
    return new Map([
      ["include", goFunction(["string", "any"], ([name, data], context) => set.execute(name, data, { context }))],
    ]);
  }
  set.parse("t", text);
  return set;
}

test("a function that renders templates shares their limits", () => {
  const endless = withInclude('{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}');
  expect(() => endless.execute("t", {}, testExecution(tenantLimits))).toThrow(/error calling include: .*\(100\)$/);
  const deep = { steps: 1e9, output: 1e9, memory: 1e9, depth: 1e9 };
  expect(() => endless.execute("t", {}, testExecution(deep))).toThrow(TemplateError);
});

test("a failed execution gives its depth back", () => {
  const set = withInclude('{{ define "bad" }}{{ template "worse" }}{{ end }}{{ define "worse" }}{{ .x.y }}{{ end }}');
  const execution = testExecution({ ...tenantLimits, depth: 3 });
  for (let time = 0; time < 5; time += 1) expect(() => set.execute("bad", { x: 1 }, execution)).not.toThrow(/depth/);
});

test("an internal error in a function is not reported as a template error", () => {
  const broken = goFunction([], () => {
    throw new TypeError("a bug");
  });
  expect(() => renderText("{{ f }}", {}, { functions: new Map([["f", broken]]) })).toThrow(new TypeError("a bug"));
});

test("a function's error is reported in Go's words", () => {
  const failing = goFunction([], () => {
    throw new FunctionError("no");
  });
  expect(() => renderText("{{ f }}", {}, { functions: new Map([["f", failing]]) })).toThrow(
    'template: t:1:3: executing "t" at <f>: error calling f: no',
  );
});

function declarations(count: number): string {
  return Array.from({ length: count }, (_, index) => `{{ $x${index} := 1 }}{{ $x${index} }}`).join("");
}

test.each([
  { reason: "a million digits", text: `{{ ${"1".repeat(1_000_000)}x }}`, says: "bad number syntax" },
  { reason: "a million digits, two points", text: `{{ 1.${"1".repeat(1_000_000)}.1 }}`, says: "unexpected" },
  { reason: "many actions", text: "{{1}}".repeat(200_000), says: "template: t:1: takes more than 1000000 steps" },
  {
    reason: "many words",
    text: `{{ and${" 1".repeat(400_000)} }}`,
    says: "template: t:1: makes more than 33554432 bytes",
  },
  {
    reason: "many variables of one name, each declared only if needed",
    text: `{{ $x := 1 }}${"{{ or 1 ($x := 1) }}{{ $x }}".repeat(10_000)}`,
    says: "template: t: takes more than 1000000 steps",
  },
])("a tenant's template is refused before it runs: $reason", ({ text, says }) => {
  const parse = (): string => renderText(text, {}, { limits: tenantLimits });
  expect(parse).toThrow(TemplateError);
  expect(parse).toThrow(says);
});

test("parsing and compiling a template costs steps in proportion to its variables", () => {
  const count = 20_000;
  const limits = { ...tenantLimits, steps: 24 * count };
  expect(renderText(declarations(count), {}, { limits })).toBe("1".repeat(count));
});

test("a long expression costs steps each time it runs", () => {
  const words = "(and .a.b.c.d.e.f) ".repeat(1_000);
  const limits = { ...tenantLimits, steps: 100_000 };
  const text = `{{ range 1000 }}{{ $_ := or ${words.replaceAll(".a", "$.a")} }}{{ end }}`;
  expect(() => renderText(text, {}, { limits })).toThrow("takes more than 100000 steps");
});

test.each([
  { reason: "lists in lists", text: "{{ $l := 1 }}{{ range $i := 1000000 }}{{ $l = keep $l }}{{ end }}" },
  { reason: "texts", text: '{{ range $i := 1000000 }}{{ $_ := printf "%0900d" $i }}{{ end }}' },
])("what is made in all is bounded, however small each piece is: $reason", ({ text }) => {
  const keep = goFunction(["any"], ([value]) => [value]);
  const limits = { steps: 1e9, output: 1_000, memory: 100_000, depth: 10 };
  expect(() => renderText(text, {}, { limits, functions: new Map([["keep", keep]]) })).toThrow(
    "makes more than 100000 bytes of texts and lists in all",
  );
});

test("a loop over a large map costs steps even if it ends at once", () => {
  const data = { map: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1])) };
  const text = "{{ range 2000 }}{{ range $.map }}{{ break }}{{ end }}{{ end }}";
  const limits = { ...tenantLimits, steps: 20_000 };
  expect(() => renderText(text, data, { limits })).toThrow("takes more than 20000 steps");
});
