import { expect, test } from "vitest";
import { Budget, tenantLimits } from "#golang";
import { plugFunctions } from "../sprig/index.ts";
import { ForeignOutput, type Insertion } from "./foreign-output.ts";
import { TemplateSet } from "./template-set.ts";

const data = { own: { a: "A", list: ["p", "q"] }, theirs: { b: "B", c: "1,2" } };

function renderApart(
  text: string,
  standIn: (insertion: Insertion) => string = () => "?",
  limits = tenantLimits,
): string {
  const foreign = new ForeignOutput(([root]) => root === "own", standIn);
  const set = new TemplateSet({ functions: plugFunctions });
  const context = { budget: new Budget(limits), now: () => 0, host: {} };
  set.parse("t", text).execute(data, { context, foreign });
  return foreign.text;
}

test.each([
  { reason: "what the author gave stays", text: "x {{ .own.a }}", apart: "x A" },
  { reason: "what others gave does not", text: "x {{ .theirs.b }}", apart: "x ?" },
  { reason: "nor what was made of it", text: "{{ .theirs.b | lower | printf `%s%s` .own.a }}", apart: "?" },
  { reason: "constants are the author's", text: '{{ "a" }}{{ printf "%d" 1 }}', apart: "a1" },
  { reason: "everything holds what others gave", text: "{{ . }}{{ $ }}{{ (.).own }}", apart: "???" },
  { reason: "variables", text: "{{ $x := .theirs.b }}{{ $y := .own.a }}{{ $x }}{{ $y }}", apart: "?A" },
  { reason: "a variable that is theirs once", text: "{{ $x := `a` }}{{ $x }}{{ $x = .theirs.b }}", apart: "?" },
  {
    reason: "a variable in parentheses",
    text: "{{ if (and true ($x := .theirs.b)) }}{{ end }}{{ .own.a }}",
    apart: "A",
  },
  { reason: "a root that is declared anew", text: "{{ with $ := .theirs }}{{ $.own }}{{ end }}", apart: "?" },
  { reason: "conditions see the data", text: "{{ if eq .theirs.b `B` }}yes{{ else }}no{{ end }}", apart: "yes" },
  { reason: "loops, too", text: "{{ range splitList `,` .theirs.c }}<{{ . }}>{{ end }}", apart: "<?><?>" },
  {
    reason: "loops over the author's",
    text: "{{ range $i, $e := .own.list }}{{ $i }}{{ $e }}{{ . }}{{ end }}",
    apart: "0pp1qq",
  },
  { reason: "fields of dot", text: "{{ with .own }}{{ .a }}{{ end }}{{ with .theirs }}{{ .b }}{{ end }}", apart: "A?" },
  {
    reason: "called templates",
    text: "{{ define `d` }}-{{ . }}{{ `c` }}{{ end }}{{ template `d` .own.a }}",
    apart: "-?c",
  },
])("what stands apart: $reason", ({ text, apart }) => {
  expect(renderApart(text)).toBe(apart);
});

test("an insertion tells what was printed after what, by which action and function", () => {
  const told: Insertion[] = [];
  renderApart("x'{{ .theirs.b | nindent 2 }}'", (insertion) => `${told.push(insertion)}`);
  expect(told).toMatchObject([
    {
      text: "\n  B",
      before: "'",
      action: ".theirs.b | nindent 2",
      last: { name: "nindent", number: 2 },
      functions: ["nindent"],
      texts: [],
    },
  ]);
});

test("an insertion tells what its action has read, if the set is to tell, and shows no text of its author", () => {
  const told: [string, unknown][] = [];
  const foreign = new ForeignOutput(
    () => false,
    (insertion) => {
      told.push([insertion.action, insertion.operands()]);
      return "?";
    },
  );
  const set = new TemplateSet({ functions: plugFunctions, tellsOperands: true });
  const context = { budget: new Budget(tenantLimits), now: () => 0, host: {} };
  const text =
    '{{ printf "master-secret %s" .theirs.b | default `x` }}{{ with .own }}{{ ternary "a" "b" (eq .a $.theirs.c) }}{{ end }}';
  set.parse("t", text).execute(data, { context, foreign });
  expect(told).toEqual([
    ['printf "…" .theirs.b | default "…"', ["B"]],
    ['ternary "…" "…" (eq .a $.theirs.c)', ["A", "1,2"]],
  ]);
});

test("what stands in is output, which is bounded", () => {
  const text = "{{ range 100 }}{{ $.theirs.b }}{{ end }}";
  expect(() => renderApart(text, () => "?".repeat(20), { ...tenantLimits, output: 1_000 })).toThrow("writes more than");
});
