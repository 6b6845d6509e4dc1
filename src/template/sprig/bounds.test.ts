import { describe, expect, it } from "vitest";
import { TemplateError, TemplateSet } from "../go-template/index.ts";
import { Budget, type GoValue, tenantLimits } from "#golang";
import { sprigFunctions } from "./sprig-functions.ts";

// Steps and sizes decide, not how fast the machine is.
const limits = tenantLimits;

function render(text: string, data: GoValue = {}): string {
  const set = new TemplateSet({ functions: sprigFunctions });
  set.parse("t", text);
  return set.execute("t", data, { context: { budget: new Budget(limits), now: () => 0, host: {} } });
}

const doubled = (start: string, twice: string): string =>
  `{{ $x := ${start} }}{{ range until 60 }}{{ $x = ${twice} }}{{ end }}`;

const tooLarge = "makes more than 1048576 bytes or elements at once";
const tooLong = "takes more than 1000000 steps";
const tooDeep = "goes more than 1000 levels deep into a value";

const hostile: { reason: string; text: string; error?: string }[] = [
  { reason: "a text repeated", text: '{{ repeat 999999999999 "ab" }}' },
  { reason: "a text repeated again and again", text: doubled('"ab"', "repeat 9 $x") },
  { reason: "a list of numbers", text: "{{ until 9223372036854775807 }}" },
  { reason: "a list of numbers that goes down", text: "{{ untilStep 0 -9223372036854775807 -1 }}" },
  { reason: "numbers in a text", text: "{{ seq 9223372036854775800 }}" },
  { reason: "an indentation", text: '{{ indent 999999999 "a" }}' },
  { reason: "an indentation of many lines", text: String.raw`{{ repeat 9999 "\n" | nindent 9999 }}` },
  { reason: "a replacement at every place", text: '{{ replace "" (repeat 9999 "a") (repeat 9999 "b") }}' },
  { reason: "a separator behind every letter", text: '{{ repeat 9999 "b" | wrapWith 1 (repeat 9999 "a") }}' },
  { reason: "a long separator", text: '{{ until 9999 | join (repeat 9999 "a") }}' },
  { reason: "a list joined to itself", text: doubled("list 1 2", "concat $x $x") },
  { reason: "texts joined to themselves", text: doubled('"ab"', "cat $x $x") },
  { reason: "a text quoted with itself", text: doubled('"ab"', "quote $x $x") },
  { reason: "a list with itself in it, printed", text: doubled("list 1 2", "list $x $x") + "{{ toString $x }}" },
  {
    reason: "a list with itself in it, copied",
    text: doubled("list 1 2", "list $x $x") + "{{ deepCopy $x }}",
    error: tooLong,
  },
  {
    reason: "a map that holds itself, copied",
    text: '{{ $m := dict }}{{ $_ := set $m "m" $m }}{{ deepCopy $m }}',
    error: tooDeep,
  },
  {
    reason: "a map that holds itself, in JSON",
    text: '{{ $m := dict }}{{ $_ := set $m "m" $m }}{{ toJson $m }}',
    error: tooDeep,
  },
  {
    reason: "a list with itself in it, in JSON",
    text: `${doubled("list 1 2", "list $x $x")}{{ toJson $x }}`,
    error: tooLong,
  },
  {
    reason: "lists with themselves in them, compared",
    text: `${doubled("list 1 2", "list $x $x")}{{ $y := $x }}${doubled("list 1 2", "list $x $x")}{{ deepEqual $x $y }}`,
    error: tooLong,
  },
  {
    reason: "a map that holds itself, merged",
    text: '{{ $m := dict }}{{ $_ := set $m "m" $m }}{{ merge (dict "m" (dict "m" $m)) $m }}',
    error: tooDeep,
  },
  {
    reason: "many comparisons",
    text: "{{ $l := list }}{{ range until 1100 }}{{ $l = append $l (list .) }}{{ end }}{{ uniq $l }}",
    error: tooLong,
  },
  { reason: "a date with a long layout", text: '{{ toDate (repeat 100000 "5.") (repeat 100000 "5.") }}' },
  { reason: "a long duration", text: '{{ dateModify (repeat 100000 "1ns") now }}' },
  { reason: "two RSA keys", text: '{{ $_ := genPrivateKey "rsa" }}{{ genPrivateKey "rsa" }}', error: tooLong },
];

describe("a tenant's template", () => {
  it.each(hostile)("a tenant's template is refused: $reason", ({ text, error = tooLarge }) => {
    const attempt = (): string => render(text);
    expect(attempt).toThrow(TemplateError);
    expect(attempt).toThrow(error);
  });

  it.each(["float64", "floor", "ceil", "int", "int64", "atoi", "toDecimal", "add1", "duration"])(
    "a tenant's template gets 0 for a long text that is not a number: %s",
    (name) => {
      const text = `{{ ${name} (print (repeat 1000000 "1") "x") | printf "%v" }}`;
      expect(() => render(text)).not.toThrow("steps");
    },
  );

  it("gets no prototype by setting one", () => {
    const data: GoValue = JSON.parse('{"a": {}}');
    expect(
      render('{{ $_ := set .a "__proto__" (dict "polluted" "x") }}{{ .a.polluted }}{{ (dict).polluted }}', data),
    ).toBe("<no value><no value>");
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(data).toEqual(JSON.parse('{"a": {"__proto__": {"polluted": "x"}}}'));
  });

  it("gets no prototype by merging one", () => {
    const data: GoValue = JSON.parse('{"a": {}, "b": {"__proto__": {"polluted": "x"}}}');
    expect(render("{{ $_ := merge .a .b }}{{ .a.polluted }}{{ keys .a }}", data)).toBe("<no value>[__proto__]");
  });
});
