import { expect, test } from "vitest";
import { Budget, tenantLimits } from "#golang";
import { PlugData, PlugTemplate } from "#template";
import { PlaceholderOutput, type UntrustedInsertion } from "./placeholder-output.ts";

const newData = () => new PlugData({ own: { a: "A", list: ["p", "q"] }, theirs: { b: "B", c: "1,2" } });

function renderWithPlaceholders(
  text: string,
  placeholderFor: (insertion: UntrustedInsertion) => string = () => "?",
  limits = tenantLimits,
): string {
  const placeholders = new PlaceholderOutput(([root]) => root === "own", placeholderFor);
  new PlugTemplate(text, { budget: new Budget(limits) }).render(newData(), placeholders);
  return placeholders.text;
}

test.each([
  { reason: "data of the author is printed", text: "x {% .own.a %}", expected: "x A" },
  { reason: "data of others is replaced", text: "x {% .theirs.b %}", expected: "x ?" },
  {
    reason: "a function of the data of others is replaced",
    text: "{% .theirs.b | lower | printf `%s%s` .own.a %}",
    expected: "?",
  },
  { reason: "constants are printed", text: '{% "a" %}{% printf "%d" 1 %}', expected: "a1" },
  { reason: "the root holds data of others", text: "{% . %}{% $ %}{% (.).own %}", expected: "???" },
  {
    reason: "a variable is whose its value is",
    text: "{% $x := .theirs.b %}{% $y := .own.a %}{% $x %}{% $y %}",
    expected: "?A",
  },
  {
    reason: "a variable that is set once to data of others is replaced everywhere",
    text: "{% $x := `a` %}{% $x %}{% $x = .theirs.b %}",
    expected: "?",
  },
  {
    reason: "a variable declared in parentheses",
    text: "{% if (and true ($x := .theirs.b)) %}{% end %}{% .own.a %}",
    expected: "A",
  },
  {
    reason: "the root variable may be declared again",
    text: "{% with $ := .theirs %}{% $.own %}{% end %}",
    expected: "?",
  },
  {
    reason: "conditions see the real data",
    text: "{% if eq .theirs.b `B` %}yes{% else %}no{% end %}",
    expected: "yes",
  },
  {
    reason: "loops see the real data",
    text: "{% range splitList `,` .theirs.c %}<{% . %}>{% end %}",
    expected: "<?><?>",
  },
  {
    reason: "elements of the author's list are printed",
    text: "{% range $i, $e := .own.list %}{% $i %}{% $e %}{% . %}{% end %}",
    expected: "0pp1qq",
  },
  {
    reason: "a field of dot is whose dot is",
    text: "{% with .own %}{% .a %}{% end %}{% with .theirs %}{% .b %}{% end %}",
    expected: "A?",
  },
  {
    reason: "a called template prints constants only",
    text: "{% define `d` %}-{% . %}{% `c` %}{% end %}{% template `d` .own.a %}",
    expected: "-?c",
  },
])("the output with placeholders: $reason", ({ text, expected }) => {
  expect(renderWithPlaceholders(text)).toBe(expected);
});

test("an insertion reports its text, the character before it, its action and its functions", () => {
  const reported: UntrustedInsertion[] = [];
  renderWithPlaceholders("x'{% .theirs.b | nindent 2 %}'", (insertion) => `${reported.push(insertion)}`);
  expect(reported).toMatchObject([
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

test("an insertion reports the operands of its action, and never a string constant", () => {
  const reported: [string, unknown][] = [];
  const placeholders = new PlaceholderOutput(
    () => false,
    (insertion) => {
      reported.push([insertion.action, insertion.operands()]);
      return "?";
    },
  );
  const text =
    '{% printf "master-secret %s" .theirs.b | default `x` %}{% with .own %}{% ternary "a" "b" (eq .a $.theirs.c) %}{% end %}';
  new PlugTemplate(text).render(newData(), placeholders);
  expect(reported).toEqual([
    ['printf "…" .theirs.b | default "…"', ["B"]],
    ['ternary "…" "…" (eq .a $.theirs.c)', ["A", "1,2"]],
  ]);
});

test("placeholders count as output, which is bounded", () => {
  const text = "{% range 100 %}{% $.theirs.b %}{% end %}";
  expect(() => renderWithPlaceholders(text, () => "?".repeat(20), { ...tenantLimits, output: 1_000 })).toThrow(
    "writes more than",
  );
});

test("a search for the variables that hold data of others costs steps", () => {
  const count = 3_000;
  const assignments = Array.from({ length: count }, (_, index) => `{% $x${index} = $x${index + 1} %}`);
  const declared = Array.from({ length: count + 1 }, (_, index) => `{% $x${index} := 1 %}`);
  const text = `${declared.join("")}${assignments.join("")}{% $x${count} = .theirs.b %}{% $x0 %}`;
  expect(() => renderWithPlaceholders(text)).toThrow("takes more than 1000000 steps");
});

test("an operand that fails costs steps for the place in its error", () => {
  const placeholders = new PlaceholderOutput(
    () => false,
    ({ operands }) => (operands() === undefined ? "?" : "!"),
  );
  const text = `{%/*${"\n".repeat(500_000)}*/%}{% range 10000 %}{% or 1 $.theirs.b.c %}{% end %}`;
  expect(() => new PlugTemplate(text).render(newData(), placeholders)).toThrow("takes more than 1000000 steps");
});
