import { expect, test } from "vitest";
import { fc } from "#seeded";
import { fromBytes, goFunction, type GoValue } from "#golang";
import { renderText } from "./render-text.fixture.ts";

const inherited = Object.getOwnPropertyNames(Object.prototype);

test.each(inherited)("%s is an ordinary key", (name) => {
  expect(renderText(`{{ .${name} }} {{ .a.${name} }} {{ index .a "${name}" }}`, { a: {} })).toBe(
    "<no value> <no value> <no value>",
  );
  const data: GoValue = JSON.parse(`{"${name}": {"${name}": "own"}}`);
  expect(renderText(`{{ .${name}.${name} }}{{ range $k, $v := . }}{{ $k }}{{ end }}`, data)).toBe(`own${name}`);
  expect(() => renderText(`{{ ${name} }}`)).toThrow(`function "${name}" not defined`);
  expect(() => renderText(`{{ $x := "" }}{{ $x.${name} }}`)).toThrow(`can't evaluate field ${name} in type string`);
});

test.each([
  { word: "endif", text: "{% if 1 %}a{% endif %}" },
  { word: "endrange", text: "{% range 1 %}a{% endrange %}" },
  { word: "endwith", text: "{% with 1 %}a{% endwith %}" },
  { word: "enddefine", text: '{% define "x" %}a{% enddefine %}{% template "x" %}' },
  { word: "endblock", text: '{% block "x" . %}a{% endblock %}' },
  { word: "end", text: "{% if 1 %}a{% end %}" },
])("X9: endif and the like close their block, with the option: $word", ({ text }) => {
  expect(renderText(text, {}, { left: "{%", right: "%}", endWords: true })).toBe("a");
});

test("X9: without the option, endif and the like are undefined functions", () => {
  expect(() => renderText("{{ if 1 }}{{ endif }}")).toThrow('function "endif" not defined');
});

test("a function named break replaces the keyword", () => {
  const functions = new Map([["break", goFunction([], () => "B")]]);
  expect(renderText("{{ range 2 }}{{ break }}{{ end }}", {}, { functions })).toBe("BB");
});

test("a function of the host wins over Go's function of the same name", () => {
  const functions = new Map([
    ["len", goFunction(["string"], ([text]) => `len ${text}`)],
    ["and", goFunction(["string", "string"], ([left, right]) => left + right)],
  ]);
  expect(renderText('{{ len "x" }} {{ and "a" "b" }}', {}, { functions })).toBe("len x ab");
});

test("a disabled function is refused when the template is parsed, wherever it is called", () => {
  const disabled = new Set(["env"]);
  expect(() => renderText("{{ if false }}\n{{ env `HOME` }}{{ end }}", {}, { disabled })).toThrow(
    'template: t:2: function "env" is disabled',
  );
});

test.each(["{{ .x }}", "{{ .x.y }}", "{{ index . `x` }}", "{{ html .x }}", "{{ js .x }}", "{{ urlquery .x.y }}"])(
  "C.5: missingKey empty never prints <no value>: %s",
  (text) => {
    expect(renderText(`<${text}>`, {}, { missingKey: "empty" })).toBe("<>");
  },
);

test.each([
  {
    reason: "a loop's variable is a new one",
    text: "{{ $x := 0 }}{{ range $x := .l }}{{ end }}{{ $x }}",
    expected: "0",
  },
  {
    reason: "an assignment reaches out of the loop",
    text: "{{ $x := 0 }}{{ range .l }}{{ $x = . }}{{ end }}{{ $x }}",
    expected: "b",
  },
  {
    reason: "a declaration within and",
    text: "{{ $x := 1 }}{{ range .l }}{{ $t := and (eq . `b`) ($x := 2) }}{{ $x }}{{ end }}",
    expected: "12",
  },
  {
    reason: "break out of the else of a loop",
    text: "{{ range .l }}{{ range 0 }}{{ else }}{{ break }}{{ end }}{{ . }}{{ end }}",
    expected: "ab",
  },
  {
    reason: "continue out of the else of a loop",
    text: "{{ range .l }}{{ range 0 }}{{ else }}{{ continue }}{{ end }}{{ . }}{{ end }}",
    expected: "",
  },
])("the scope of variables: $reason", ({ text, expected }) => {
  expect(renderText(text, { l: ["a", "b"] })).toBe(expected);
});

test("a loop over a map visits the entries that it had at the start", () => {
  const map: Record<string, string> = { a: "1", b: "2" };
  const change = goFunction([], () => {
    map["b"] = "changed";
    map["c"] = "3";
    return "";
  });
  expect(
    renderText("{{ range $k, $v := . }}{{ $k }}{{ $v }}{{ change }}{{ end }}", map, {
      functions: new Map([["change", change]]),
    }),
  ).toBe("a1b2");
});

test("invalid UTF-8 passes through text, literals and data unchanged, and may combine to characters", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 8 }), fc.nat({ max: 8 }), (given, cut) => {
      const bytes = Uint8Array.from(given);
      const [head, tail] = [bytes.subarray(0, cut), bytes.subarray(cut)];
      const hex = Array.from(tail, (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
      expect(renderText(`{{ .head }}{{ "${hex}" }}`, { head: fromBytes(head) })).toBe(fromBytes(bytes));
    }),
  );
});

test("the parser fails with a TemplateError only, whatever the text", () => {
  const piece = fc.constantFrom(
    "{{",
    "}}",
    "{{- ",
    " -}}",
    "if ",
    "else ",
    "end",
    "(",
    ")",
    "|",
    "$x",
    ":=",
    ".a",
    "1",
    '"',
    "'",
    "`",
    "/*",
    "*/",
    "\n",
    "range ",
    "define ",
    '"t"',
    ",",
    "é",
    "nil",
    " ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      expect(["TemplateError", undefined]).toContain(failureOf(pieces.join("")));
    }),
    { numRuns: 2_000 },
  );
});

function failureOf(text: string): string | undefined {
  try {
    renderText(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.name : "not even an error";
  }
}
