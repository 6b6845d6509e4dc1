import { expect, test } from "vitest";
import { fc } from "#seeded";
import { fromBytes, goFunction, type GoValue } from "#golang";
import { renderText } from "./render-text.fixture.ts";

const inherited = Object.getOwnPropertyNames(Object.prototype);

test.each(inherited)("%s is a key like any other", (name) => {
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
])("X9: $word closes what it names", ({ text }) => {
  expect(renderText(text, {}, { left: "{%", right: "%}", endWords: true })).toBe("a");
});

test("X9: without the option the spellings are functions that do not exist", () => {
  expect(() => renderText("{{ if 1 }}{{ endif }}")).toThrow('function "endif" not defined');
});

test("a function called break takes the word away from the language", () => {
  const functions = new Map([["break", goFunction([], () => "B")]]);
  expect(renderText("{{ range 2 }}{{ break }}{{ end }}", {}, { functions })).toBe("BB");
});

test("a function of the host comes before Go's own of the same name", () => {
  const functions = new Map([
    ["len", goFunction(["string"], ([text]) => `len ${text}`)],
    ["and", goFunction(["string", "string"], ([left, right]) => left + right)],
  ]);
  expect(renderText('{{ len "x" }} {{ and "a" "b" }}', {}, { functions })).toBe("len x ab");
});

test("a refused function is refused when the template is parsed, wherever it stands", () => {
  const disabled = new Set(["env"]);
  expect(() => renderText("{{ if false }}\n{{ env `HOME` }}{{ end }}", {}, { disabled })).toThrow(
    'template: t:2: function "env" is disabled',
  );
});

test.each(["{{ .x }}", "{{ .x.y }}", "{{ index . `x` }}", "{{ html .x }}", "{{ js .x }}", "{{ urlquery .x.y }}"])(
  "C.5: nothing prints <no value> in the mode for that: %s",
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
])("scopes: $reason", ({ text, expected }) => {
  expect(renderText(text, { l: ["a", "b"] })).toBe(expected);
});

test("a loop over a map visits what was there when it began", () => {
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

test("broken bytes pass through text, literals and data unchanged, and come together again", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 8 }), fc.nat({ max: 8 }), (given, cut) => {
      const bytes = Uint8Array.from(given);
      const [head, tail] = [bytes.subarray(0, cut), bytes.subarray(cut)];
      const hex = Array.from(tail, (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
      expect(renderText(`{{ .head }}{{ "${hex}" }}`, { head: fromBytes(head) })).toBe(fromBytes(bytes));
    }),
  );
});

test("no text makes the parser fail otherwise than with an error of its own", () => {
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
