import { describe, expect, test, vi } from "vitest";
import { fc } from "#seeded";
import { TemplateSet } from "../go-template/index.ts";
import { chartOf } from "./test-chart.fixture.ts";
import type { Lookup } from "./engine/rendering.ts";
import { renderChart } from "./render-chart.ts";
import { mergeValueSources } from "./values/given-values.ts";

function textOf(template: string, values = {}): string {
  const { manifests } = renderChart(chartOf({ "templates/t.yaml": template }), { values });
  return manifests.map(({ text }) => text).join("\n");
}

describe("renderChart", () => {
  test("renderChart gives objects and texts of manifests, and hooks, CRDs and notes separately", () => {
    const rendered = renderChart(
      chartOf({
        "templates/a.yaml":
          "kind: Pod\nmetadata: {name: p, annotations: {helm.sh/hook: test, helm.sh/hook-weight: '3'}}",
        "templates/b.yaml": "# {{ .Release.Name }}\nkind: Service\n---\nkind: Namespace\n---\n# nothing",
        "templates/NOTES.txt": "for {{ .Release.Namespace }}",
        "crds/x.yaml": "kind: CustomResourceDefinition\n---\nkind: Other",
      }),
      { release: { name: "r", namespace: "n" } },
    );
    expect(rendered.manifests.map(({ source, object }) => [source, object])).toEqual([
      ["c/templates/b.yaml", { kind: "Namespace" }],
      ["c/templates/b.yaml", { kind: "Service" }],
      ["c/templates/b.yaml", undefined],
    ]);
    expect(rendered.hooks).toMatchObject([{ name: "p", kind: "Pod", events: ["test"], weight: 3 }]);
    expect(rendered.crds.map(({ source, objects }) => [source, objects])).toEqual([
      ["c/crds/x.yaml", [{ kind: "CustomResourceDefinition" }, { kind: "Other" }]],
    ]);
    expect(rendered.notes).toBe("for n");
  });

  test("renderChart compiles a chart's templates once", () => {
    const parse = vi.spyOn(TemplateSet.prototype, "parse");
    const chart = chartOf({ "templates/t.yaml": "a: {{ .Values.a }}", "values.yaml": "a: 1" });
    renderChart(chart);
    const first = parse.mock.calls.length;
    expect(renderChart(chart, { values: { a: 2 } }).manifests[0]?.object).toEqual({ a: 2 });
    expect([first, parse.mock.calls.length]).toEqual([1, 1]);
    parse.mockRestore();
  });

  test("renderChart changes neither the chart nor the values, even if templates change theirs", () => {
    const chart = chartOf({
      "Chart.yaml":
        "name: c\nversion: 1.0.0\ndependencies: [{name: s, version: '*', alias: t, import-values: [{child: d, parent: e}]}]",
      "values.yaml": "a: {b: 1}\nt: {x: 1}",
      "templates/t.yaml":
        '{{ $_ := set .Values.a "b" 2 }}{{ $_ := unset .Values "t" }}{{ $_ := set .Values.g "h" 1 }}v: {{ toJson .Values }}',
      "charts/s/Chart.yaml": "name: s\nversion: 1.0.0",
      "charts/s/values.yaml": "d: {f: 1}",
      "charts/s/templates/t.yaml": '{{ $_ := set .Values "y" 1 }}',
    });
    const values = { g: {} };
    const before = JSON.stringify([chart, values]);
    const [first, second] = [renderChart(chart, { values }), renderChart(chart, { values })];
    expect(first.manifests).toEqual(second.manifests);
    expect(JSON.stringify([chart, values])).toBe(before);
  });

  test("lookup asks the host, and finds nothing without one", () => {
    const chart = chartOf({ "templates/t.yaml": 'a: {{ dig "data" "k" "none" (lookup "v1" "Secret" "n" "s") }}' });
    expect(renderChart(chart).manifests[0]?.object).toEqual({ a: "none" });
    const lookup = vi.fn<Lookup>(() => ({ data: { k: "found" } }));
    expect(renderChart(chart, { lookup }).manifests[0]?.object).toEqual({ a: "found" });
    expect(lookup).toHaveBeenCalledWith("v1", "Secret", "n", "s");
  });

  test("renderChart warns of ignored values without printing them", () => {
    const chart = chartOf({ "values.yaml": "a: {b: 1}" });
    expect(renderChart(chart, { values: { a: "secret" } }).warnings).toEqual([]);
    const other = chartOf({ "values.yaml": "a: {b: {c: 1}}" });
    expect(renderChart(other, { values: { a: { b: "secret" } } }).warnings).toEqual([
      "cannot overwrite table with non table for c.a.b",
    ]);
  });
});

describe("hostile charts", () => {
  test.each(["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"])(
    "a chart cannot reach the property %s of JavaScript's objects",
    (name) => {
      expect(
        textOf(`x: "{{ .Values.${name} }}{{ .Release.${name} }}{{ .Subcharts.${name} }}{{ index .Values "${name}" }}"`),
      ).toBe('x: ""');
    },
  );

  test("a chart cannot change a prototype by its values", () => {
    const given = mergeValueSources({
      files: [{ name: "v", text: "__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 2}}" }],
      set: ["__proto__.polluted=3"],
    });
    const { manifests } = renderChart(
      chartOf({ "values.yaml": "__proto__: {x: 1}", "templates/t.yaml": "v: {{ toJson .Values }}" }),
      { ...given },
    );
    expect(manifests[0]?.text).toBe('v: {"__proto__":{"polluted":3,"x":1},"constructor":{"prototype":{"polluted":2}}}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test.each([
    { reason: "by a loop", template: "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}" },
    { reason: "by its output", template: '{{ $x := repeat 1000 "x" }}{{ range until 100000 }}{{ $x }}{{ end }}' },
    { reason: "by doubling a text", template: '{{ $x := "xx" }}{{ range until 64 }}{{ $x = print $x $x }}{{ end }}' },
    {
      reason: "by a template that includes itself",
      template: '{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}',
    },
    { reason: "by a text that renders itself", template: '{{ $t := "{{ tpl . . }}" }}{{ tpl $t $t }}' },
    {
      reason: "by a template that calls itself",
      template: '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
    },
  ])("a chart cannot exceed its limits $reason", ({ template }) => {
    const limits = { steps: 1_000_000, output: 1 << 20, memory: 32 << 20, depth: 2_000 };
    expect(() => renderChart(chartOf({ "templates/t.yaml": template }), { limits })).toThrow(
      /charts\/c\/templates\/t\.yaml:1:/,
    );
  });

  test("quote, toJson and toYaml keep any value a string", () => {
    const chart = chartOf({
      "templates/t.yaml":
        "a: {{ .Values.text | quote }}\nb: {{ .Values.text | toJson }}\nc: {{ toYaml .Values.text | nindent 2 }}",
    });
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(renderChart(chart, { values: { text } }).manifests[0]?.object).toEqual({ a: text, b: text, c: text });
      }),
    );
  });
});

/** An include inside blocks, a pipeline and parentheses, as charts have them. */
const richInclude = `{{- define "walk" -}}
{{- $left := int .left -}}
{{- with .root }}{{- if gt $left 0 -}}{{- range $key, $value := dict "a" 1 }}{{- if $key }}
{{- $inner := include "walk" (dict "left" (sub $left 1) "root" $.root) | trim | default "x" }}
{{- printf "%s" (ternary $inner "" (not (empty $inner))) | trimAll "x" | trim }}
{{- end }}{{- end }}{{- else -}}end at {{ int64 .Values.big }} for {{ .Release.Name }}{{- end }}{{- end }}
{{- end -}}
v: {{ include "walk" (dict "left" .Values.depth "root" .) }}`;

test("includes with rich bodies nest a thousand times, as in Helm", () => {
  const chart = chartOf({ "templates/t.yaml": richInclude, "values.yaml": "depth: 10\nbig: 9007199254740993\n" });
  const given = mergeValueSources({ set: ["depth=999", "big=9007199254740993"] });
  const { manifests } = renderChart(chart, { ...given, release: { name: "deep" } });
  expect(manifests[0]?.object).toEqual({ v: "end at 9007199254740993 for deep" });
});

test("includes beyond a thousand are refused in Helm's words, with the place in the chart", () => {
  const chart = chartOf({ "templates/t.yaml": richInclude, "values.yaml": "depth: 1100\nbig: 1\n" });
  expect(() => renderChart(chart)).toThrow(
    expect.objectContaining({
      where: expect.stringContaining("charts/c/templates/t.yaml:4:"),
      next: "walk includes itself more than 1,000 times: stop it with an `if`",
      helmMessage: expect.stringContaining("rendering template has a nested reference name: walk"),
    }),
  );
});

test.each([
  {
    reason: "a text that doubles",
    template: '{{ $x := "ab" }}{{ range until 60 }}{{ $x = printf "%s%s" $x $x }}{{ end }}',
    problem: "makes more than 65536 bytes or elements at once",
    next: /^find the text or list that grows/,
  },
  {
    reason: "two texts next to each other",
    template: '{{ $x := "ab" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}',
    problem: "makes more than 65536 bytes or elements at once",
    next: /^find the text or list that grows/,
  },
  {
    reason: "texts that tpl renders",
    template: '{{ range $i := 5000 }}{{ $_ := tpl (repeat 5000 "{{ 1 }}") $ }}{{ end }}',
    problem: "makes more than 4194304 bytes of texts and lists in all",
    next: /^find the text or list that grows/,
  },
  {
    reason: "a template that calls itself",
    template: '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
    problem: "exceeded maximum template depth (2000)",
    next: /^a template calls itself/,
  },
])("the error of a chart that exceeds a limit names the real cause: $reason", ({ template, problem, next }) => {
  const limits = { steps: 100_000_000, output: 1 << 16, memory: 1 << 22, depth: 2_000 };
  expect(() => renderChart(chartOf({ "templates/t.yaml": template }), { limits })).toThrow(
    expect.objectContaining({ what: expect.stringContaining(problem), next: expect.stringMatching(next) }),
  );
});

describe("values that are endless when written", () => {
  const limits = { steps: 100_000, output: 1 << 20, memory: 32 << 20, depth: 100 };
  const endless = '{{ $x := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}';
  const circular = '{{ $x := dict }}{{ $_ := set $x "a" $x }}';

  test.each(["toYaml", "toYamlPretty", "toJson", "toToml", "toPrettyJson", "mustToRawJson"])(
    "%s refuses an endless value before it writes it",
    (name) => {
      const rendering = (start: string) => () =>
        renderChart(chartOf({ "templates/t.yaml": `${start}{{ ${name} $x }}` }), { limits });
      expect(rendering(endless)).toThrow("takes more than 100000 steps");
      expect(rendering(circular)).toThrow("goes more than 1000 levels deep into a value");
    },
  );
});
