import { expect, test } from "vitest";
import { testExecution } from "./render-text.fixture.ts";
import { TemplateError } from "./template-error.ts";
import { TemplateSet } from "./template-set.ts";

function newSet(): TemplateSet {
  return new TemplateSet({ functions: new Map(), name: "all" });
}

function execute(set: TemplateSet, name: string, data = {}): string {
  return set.execute(name, data, testExecution());
}

test("parsing replaces a template of the same name, unless the new one is empty", () => {
  const set = newSet();
  set.parse("a", "one");
  set.parse("b", '{{ define "a" }}two{{ end }}');
  expect(execute(set, "a")).toBe("two");
  set.parse("c", '{{ define "a" }} {{/* nothing */}}\n{{ end }}');
  expect(execute(set, "a")).toBe("two");
});

test("parse returns the parsed template, even an empty one that replaces nothing", () => {
  const set = newSet();
  set.parse("a", "one");
  const empty = set.parse("a", '{{ define "b" }}B{{ end }}');
  expect([empty.execute({}, testExecution()), execute(set, "a"), execute(set, "b")]).toEqual(["", "one", "B"]);
});

test("a clone and its original do not see templates that the other parses", () => {
  const original = newSet();
  original.parse("shared", "{{ template `part` }}");
  original.parse("part", "old");
  const clone = original.clone();
  clone.parse("part", "new");
  clone.parse("own", "x");
  original.parse("later", "y");
  expect([execute(original, "shared"), execute(clone, "shared")]).toEqual(["old", "new"]);
  expect([original.has("own"), clone.has("own"), original.has("later"), clone.has("later")]).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(clone.clone().names().toSorted()).toEqual(["own", "part", "shared"]);
});

test("a text that failed to parse leaves nothing behind", () => {
  const set = newSet();
  expect(() => set.parse("a", '{{ define "b" }}{{ end }}{{ nope }}')).toThrow(TemplateError);
  expect(set.names()).toEqual([]);
});

test("an undefined template is an error in Go's words", () => {
  expect(() => execute(newSet(), "x")).toThrow('template: no template "x" associated with template "all"');
});

test.each([
  { text: "{{ .a.b }}", data: { a: { b: 3 } }, value: 3, reason: "a value keeps its type" },
  { text: "{{- .a.b -}}", data: {}, value: undefined, reason: "a missing key has no value" },
  { text: "{{ .a }}", data: { a: null }, value: undefined, reason: "nil has no value" },
  { text: "{{ printf `%v` .a }}", data: {}, value: "<nil>", reason: "a function was called, so there is one" },
])("C.5: a template of one action has a value: $reason", ({ text, data, value }) => {
  const set = newSet();
  set.parse("t", text);
  expect(set.isOneAction("t")).toBe(true);
  expect(set.evaluate("t", data, testExecution())).toBe(value);
});

test.each(["a{{ .a }}", "{{ .a }} ", "{{ .a }}{{ .a }}", "{{ $x := .a }}", "{{ if .a }}{{ end }}", "text", ""])(
  "C.5: a template with more than one action, or with text, is not a single action: %j",
  (text) => {
    const set = newSet();
    set.parse("t", text);
    expect(set.isOneAction("t")).toBe(false);
  },
);

test("a TemplateError has phase, name, line and column", () => {
  const set = newSet();
  set.parse("file.yaml", '{{ define "part" }}\n\té {{ .a.b }}{{ end }}{{ template "part" . }}');
  expect(() => execute(set, "file.yaml", { a: "x" })).toThrow(
    expect.objectContaining({
      message: 'template: file.yaml:2:9: executing "part" at <.a.b>: can\'t evaluate field b in type interface {}',
      phase: "execute",
      templateName: "part",
      line: 2,
      column: 9,
    }),
  );
  expect(() => set.parse("broken", "\n{{ if }}")).toThrow(
    expect.objectContaining({ message: "template: broken:2: missing value for if", phase: "parse", line: 2 }),
  );
});
