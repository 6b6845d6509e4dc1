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

describe("what is wrong in a template", () => {
  test("is shown with its file, line and column, the line itself, and a next step", () => {
    const { message, helmMessage } = failureOf({ "templates/t.yaml": "a: 1\n  name: {{ .Values.a.b }}\n" });
    expect(message).toBe(
      "charts/c/templates/t.yaml:2:19: nil pointer evaluating interface {}.b, in `name: {{ .Values.a.b }}`; " +
        "what should hold b is not set: give it a value, or read it with `dig`, or inside `with`",
    );
    expect(helmMessage).toBe(
      'template: c/templates/t.yaml:2:18: executing "c/templates/t.yaml" at <.Values.a.b>: nil pointer evaluating interface {}.b',
    );
  });

  test("is shown where it is, not where it was included from, which is named too", () => {
    const { message } = failureOf({
      "templates/_h.tpl": '{{ define "h" }}\n  {{ .x.y }}\n{{ end }}',
      "templates/t.yaml": 'a: 1\nb: {{ include "h" . }}',
    });
    expect(message).toMatch(
      /^charts\/c\/templates\/_h\.tpl:2:\d+: nil pointer .*`\{\{ \.x\.y \}\}`.*rendered from charts\/c\/templates\/t\.yaml:2:7/,
    );
  });

  test("in a text that is given to tpl is shown where tpl is called", () => {
    const { message } = failureOf({ "templates/t.yaml": "a: {{ tpl .Values.t . }}" }, { t: "{{ .x.y }}" });
    expect(message).toMatch(/^charts\/c\/templates\/t\.yaml:1:7: nil pointer .*, in a text given to tpl/);
  });

  test("and is what the chart's author says, if they say it", () => {
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
    { reason: "something not closed", template: "{{ if .a }}x", said: "close every `if`" },
    { reason: "an end too many", template: "{{ end }}", said: "one `end` too many" },
    { reason: "a template that is not there", template: '{{ include "c.labls" . }}', said: 'did you mean "c.labels"?' },
    {
      reason: "a template that nobody has",
      template: '{{ include "other.thing" . }}',
      said: 'define it: {{ define "other.thing" }}',
    },
    { reason: "a function that is not there", template: "{{ toYml .a }}", said: "did you mean toYaml?" },
    { reason: "the environment", template: '{{ env "HOME" }}', said: "pass it as a value" },
    {
      reason: "a wrong argument",
      template: "{{ trunc 5 .Values.n }}",
      said: "turn the value into text with `toString`",
    },
    { reason: "too few arguments", template: "{{ trunc 5 }}", said: "look at what trunc takes" },
    { reason: "a field of a text", template: "{{ .Release.Name.x }}", said: "use `$` inside `range` and `with`" },
    { reason: "a variable that is not there", template: "{{ $x }}", said: "declare $x before" },
    {
      reason: "an endless include",
      template: '{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}',
      said: "stop it with an `if`",
    },
  ])("comes with what helps: $reason", ({ template, said }) => {
    const files = { "templates/_c.tpl": '{{ define "c.labels" }}{{ end }}', "templates/t.yaml": template };
    expect(failureOf(files, { n: 5 }).message).toMatch(said);
  });
});

describe("what is wrong in what a template renders", () => {
  test.each([
    { reason: "no YAML", template: "a: b: c", said: /c\/templates\/t\.yaml.*mapping values are not allowed/ },
    { reason: "a list", template: "- 1", said: "what is rendered is not an object" },
    { reason: "a kind that is no text", template: "kind: [x]", said: "kind is not text" },
    {
      reason: "annotations that are no texts",
      template: "metadata: {annotations: {a: {}}}",
      said: 'metadata.annotations["a"] is not text',
    },
  ])("is named with its template: $reason", ({ template, said }) => {
    expect(failureOf({ "templates/t.yaml": template }).message).toMatch(said);
  });
});
