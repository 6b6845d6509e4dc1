import { describe, expect, test } from "vitest";
import { ChartError } from "../chart-error.ts";
import { renderChart } from "../render-chart.ts";
import { chartOf } from "../test-chart.fixture.ts";

function failureOf(files: Readonly<Record<string, string>>, values = {}): ChartError {
  try {
    renderChart(chartOf(files), { values });
  } catch (error) {
    if (error instanceof ChartError) return error;
    throw error;
  }
  throw new Error("nothing is wrong");
}

describe("template errors", () => {
  test("a template error shows file, line, column, the line itself and a next step", () => {
    const { message, helmMessage } = failureOf({ "templates/t.yaml": "a: 1\n  name: {{ .Values.a.b }}\n" });
    expect(message).toBe(
      "charts/c/templates/t.yaml:2:19: nil pointer evaluating interface {}.b, in `name: {{ .Values.a.b }}`; " +
        "the map that should contain b is not set: set it, or read it with `dig` or inside `with`",
    );
    expect(helmMessage).toBe(
      'template: c/templates/t.yaml:2:18: executing "c/templates/t.yaml" at <.Values.a.b>: nil pointer evaluating interface {}.b',
    );
  });

  test("an error in an included template shows its own place, and names where it was included", () => {
    const { message } = failureOf({
      "templates/_h.tpl": '{{ define "h" }}\n  {{ .x.y }}\n{{ end }}',
      "templates/t.yaml": 'a: 1\nb: {{ include "h" . }}',
    });
    expect(message).toMatch(
      /^charts\/c\/templates\/_h\.tpl:2:\d+: nil pointer .*`\{\{ \.x\.y \}\}`.*rendered from charts\/c\/templates\/t\.yaml:2:7/,
    );
  });

  test("an error in text passed to tpl shows where tpl is called", () => {
    const { message } = failureOf({ "templates/t.yaml": "a: {{ tpl .Values.t . }}" }, { t: "{{ .x.y }}" });
    expect(message).toMatch(/^charts\/c\/templates\/t\.yaml:1:7: nil pointer .*, in text passed to tpl/);
  });

  test("an error of required or fail shows the message of the chart's author", () => {
    const { message, helmMessage } = failureOf({
      "templates/t.yaml": 'a: {{ required "set a: it is needed" .Values.a }}',
    });
    expect(message).toContain("charts/c/templates/t.yaml:1:7: set a: it is needed, in `a: {{ required");
    expect(helmMessage).toBe("execution error at (c/templates/t.yaml:1:6): set a: it is needed");
  });

  test.each([
    {
      reason: "a syntax error",
      template: "a: 1\n{{ if }}",
      said: /t\.yaml:2: missing value for if, in `\{\{ if \}\}`/,
    },
    { reason: "a block that is not closed", template: "{{ if .a }}x", said: "close every `if`" },
    { reason: "an end too many", template: "{{ end }}", said: "remove one `end`" },
    { reason: "a misspelt template", template: '{{ include "c.labls" . }}', said: 'did you mean "c.labels"?' },
    {
      reason: "a template that is not defined",
      template: '{{ include "other.thing" . }}',
      said: 'define it: {{ define "other.thing" }}',
    },
    { reason: "a misspelt function", template: "{{ toYml .a }}", said: "did you mean toYaml?" },
    { reason: "the environment", template: '{{ env "HOME" }}', said: "pass it as a value" },
    {
      reason: "a wrong argument",
      template: "{{ trunc 5 .Values.n }}",
      said: "convert the value with `toString`",
    },
    { reason: "too few arguments", template: "{{ trunc 5 }}", said: "check the arguments of trunc" },
    { reason: "a field of a text", template: "{{ .Release.Name.x }}", said: "use `$` inside `range` and `with`" },
    { reason: "an undeclared variable", template: "{{ $x }}", said: "declare $x first" },
    {
      reason: "an endless include",
      template: '{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}',
      said: "stop it with an `if`",
    },
  ])("a template error comes with advice: $reason", ({ template, said }) => {
    const files = { "templates/_c.tpl": '{{ define "c.labels" }}{{ end }}', "templates/t.yaml": template };
    expect(failureOf(files, { n: 5 }).message).toMatch(said);
  });
});

describe("errors in rendered documents", () => {
  test.each([
    { reason: "invalid YAML", template: "a: b: c", said: /c\/templates\/t\.yaml.*mapping values are not allowed/ },
    { reason: "a list", template: "- 1", said: "expected a rendered document to be a map" },
    {
      reason: "a kind that is not a string",
      template: "kind: [x]",
      said: "expected kind of a rendered document to be a string",
    },
    {
      reason: "annotations that are not strings",
      template: "metadata: {annotations: {a: {}}}",
      said: 'expected metadata.annotations["a"] of a rendered document to be a string',
    },
  ])("an error in a rendered document names its template: $reason", ({ template, said }) => {
    expect(failureOf({ "templates/t.yaml": template }).message).toMatch(said);
  });
});
