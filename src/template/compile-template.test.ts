import { expect, test } from "vitest";
import { compileTemplate } from "./compile-template.ts";
import { TemplateError } from "./go-template/index.ts";
import { goFunction, integersOf, tenantLimits } from "#golang";

test("a compiled template renders plain JSON any number of times", () => {
  const template = compileTemplate("Hello {{ .name }}, {{ if gt .n 3.0 }}many{{ else }}few{{ end }}");
  expect(template.execute({ name: "World", n: 5 })).toBe("Hello World, many");
  expect(template.execute({ name: "you", n: 1 })).toBe("Hello you, few");
});

test("numbers are Go's float64 unless integersOf converts them", () => {
  const template = compileTemplate("{{ .n }}");
  expect(template.execute({ n: 1_234_567 })).toBe("1.234567e+06");
  expect(template.execute(integersOf({ n: 1_234_567 }))).toBe("1234567");
});

test("compileTemplate takes delimiters, a name and a missing-key mode", () => {
  const text = "<% .x.y %>";
  const options = { left: "<%", right: "%>", name: "file" } as const;
  expect(compileTemplate(text, options).execute({})).toBe("<no value>");
  expect(compileTemplate(text, { ...options, missingKey: "empty" }).execute({})).toBe("");
  expect(() => compileTemplate(text, { ...options, missingKey: "error" }).execute({})).toThrow(
    'template: file:1:5: executing "file" at <.x.y>: map has no entry for key "x"',
  );
});

test("compileTemplate takes Go's functions, sprig's, those of plugs, or a custom set", () => {
  expect(compileTemplate('{{ upper "a" | quote }}', { functions: "sprig" }).execute({})).toBe('"A"');
  expect(compileTemplate('{{ upper "a" }}', { functions: "plug" }).execute({})).toBe("A");
  expect(() => compileTemplate('{{ upper "a" }}')).toThrow('template: template:1: function "upper" not defined');
  expect(() => compileTemplate('{{ env "HOME" }}', { functions: "sprig" })).toThrow('function "env" is disabled');
  const functions = new Map([
    ["hi", goFunction(["string"], ([name], { host }) => `${String(host["greeting"])} ${name}`)],
  ]);
  const template = compileTemplate('{{ hi "you" }}', { functions });
  expect(template.execute({}, { host: { greeting: "hello" } })).toBe("hello you");
});

test("compileTemplate takes limits", () => {
  const endless = compileTemplate("{{ range 100000000 }}0123456789{{ end }}", { limits: tenantLimits });
  expect(() => endless.execute({})).toThrow(TemplateError);
});
