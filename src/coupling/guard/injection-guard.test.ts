import { expect, test } from "vitest";
import { InputError, type JsonObject } from "#base";
import { fc } from "#seeded";
import { PlugData, PlugTemplate } from "#template";
import { findUnquoted, Placeholders } from "./injection-guard.ts";
import { renderResources } from "../resources/render-resources.ts";
import { PlaceholderOutput } from "./placeholder-output.ts";

const header = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n";
const owner = { kind: "Socket", namespace: "prov", name: "s", uid: "socket-uid" } as const;
const origin = { side: "socket", owner, plugUid: "plug-uid", socketUid: "socket-uid" } as const;

const isOwn = ([root]: readonly string[]): boolean => root === "socketConfig";

/** What a text of the socket makes, apart from its header, with what the plug gives in `plugConfig`. */
function render(text: string, plugConfig: Readonly<Record<string, string>>, socketConfig: JsonObject = {}): unknown[] {
  const data = new PlugData({ plugConfig, socketConfig });
  const stringTemplate = text.includes("apiVersion") ? text : header + text;
  return renderResources([{ stringTemplate }], "coupled", { origin, data, isOwn }).map(({ object }) => {
    const { apiVersion: _version, kind, metadata: _metadata, ...rest } = object;
    return kind === "ConfigMap" ? rest : kind;
  });
}

const v = "{% .plugConfig.v %}";
const pod = "x\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: evil}";

test.each([
  { reason: "another key", text: `user: ${v}`, value: "x\nimage: evil" },
  { reason: "another key in a flow", text: `a: {user: ${v}}`, value: "x, image: evil" },
  { reason: "a key without a value", text: `a: {user: ${v}}`, value: "x, evil" },
  { reason: "another item", text: `args: [run, ${v}]`, value: "x, --evil" },
  { reason: "another document", text: `a: ${v}`, value: pod },
  { reason: "the quotes are closed", text: `a: '${v}'`, value: "x'\nb: 'c" },
  {
    reason: "the JSON is closed",
    text: `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "a": "${v}"}`,
    value: 'x", "b": "c',
  },
  { reason: "a map in place of a text", text: `args: ["${v}"]`, value: 'a": "b' },
  { reason: "what follows is commented out", text: `a: {b: ${v}, c: d}`, value: "x} #" },
  { reason: "an anchor of the author is another one", text: `a: &b ours\nb: ${v}\nc: *b`, value: "&b evil" },
  { reason: "a block that ends early", text: `a: |\n    echo ${v}: done`, value: "x\nevil" },
  {
    reason: "a List that the author began",
    text: `apiVersion: v1\nkind: List\nitems: ${v}`,
    value: "[{apiVersion: v1, kind: Pod, metadata: {name: evil}}]",
  },
  {
    reason: "a whole document",
    text: `{% "" %}${v}# apiVersion`,
    value: "{apiVersion: v1, kind: Pod, metadata: {name: evil}} ",
  },
  { reason: "white space alone", text: `a: |\n    ${v}evil: b`, value: "\n" },
])(
  "F-01: a value that changes the structure of the text is refused, and its action is named: $reason",
  ({ text, value }) => {
    expect(() => render(text, { v: value })).toThrow(
      expect.objectContaining({
        what: ".plugConfig.v would change the structure of the text",
        where: "spec.resources[0].stringTemplate",
        next: "pass it through quote or toJson",
      }),
    );
  },
);

test("F-01: a value passed through toJson between the author's quotes is refused when it closes the quotes", () => {
  const text = "a: {b: '{% .plugConfig.v | toJson %}'}";
  expect(render(text, { v: "x: y" })).toEqual([{ a: { b: '"x: y"' } }]);
  expect(() => render(text, { v: "x', evil: 'y" })).toThrow(
    ".plugConfig.v | toJson would change the structure of the text",
  );
});

test("F-01: two values that change the structure only together are refused", () => {
  expect(() => render("a: [{% .plugConfig.v %}]\nb: [{% .plugConfig.w %}]", { v: '"', w: '"' })).toThrow(
    "would change the structure",
  );
});

test.each([
  { reason: "trim", action: ".plugConfig.v | trim", value: `${pod}\n ` },
  { reason: "replace", action: '.plugConfig.v | replace "_" "-"', value: `${pod} #_` },
  { reason: "trunc", action: ".plugConfig.v | trunc 200", value: pod + " ".repeat(200) },
  { reason: "b64dec", action: ".plugConfig.v | b64dec", value: Buffer.from(pod).toString("base64") },
  { reason: "printf", action: 'printf "%s" .plugConfig.v', value: pod },
  { reason: "nindent", action: ".plugConfig.v | nindent 0", value: "evil: yes" },
  { reason: "default", action: '.plugConfig.v | default (toJson "a")', value: pod },
  { reason: "a field of everything", action: "(index . `plugConfig`).v", value: pod },
  { reason: "the root", action: "$.plugConfig.v | trim", value: pod },
  { reason: "a list", action: '.plugConfig.v | splitList "|" | join "\\n"', value: "x|evil: yes" },
])("F-01: a value that went through a function is still checked as the plug's: $reason", ({ action, value }) => {
  expect(() => render(`v: {% ${action} %}`, { v: value })).toThrow("would change the structure of the text");
});

test.each([
  { reason: "a variable", text: "{% $x := .plugConfig.v | trim %}v: {% $x %}" },
  { reason: "a variable of a variable", text: "{% $x := .plugConfig.v %}{% $y := $x %}v: {% $y %}" },
  {
    reason: "a variable that was the author's",
    text: '{% $x := "own" %}{% range until 2 %}{% if eq . 1 %}v: {% $x %}{% end %}{% $x = $.plugConfig.v %}{% end %}',
  },
  { reason: "with", text: "{% with .plugConfig.v %}v: {% . %}{% end %}" },
  { reason: "range", text: "{% range $key, $value := .plugConfig %}{% $key %}: {% $value %}{% end %}" },
  { reason: "a template", text: '{% define "t" %}v: {% . %}{% end %}{% template "t" .plugConfig.v %}' },
  { reason: "a map that is changed", text: '{% $d := dict %}{% $_ := set $d "k" .plugConfig.v %}v: {% $d.k %}' },
  { reason: "the author's own map", text: '{% $_ := set .socketConfig "k" .plugConfig.v %}v: {% .socketConfig.k %}' },
])("F-01: a value is checked as the plug's on whichever way it reaches the text: $reason", ({ text }) => {
  expect(() => render(text, { v: pod })).toThrow("would change the structure of the text");
});

test.each([
  { reason: "a URL", text: `a: ${v}`, value: "http://h:80/a=b#c", made: { a: "http://h:80/a=b#c" } },
  { reason: "between quotes", text: `a: "${v}"`, value: "it's: #1", made: { a: "it's: #1" } },
  { reason: "quoted", text: "a: [{% .plugConfig.v | quote %}, b]", value: 'x", "y', made: { a: ['x", "y', "b"] } },
  { reason: "as JSON", text: "a: {% .plugConfig | toJson %}", value: "x, y: z", made: { a: { v: "x, y: z" } } },
  { reason: "a list where it stands", text: `a: ${v}\nd: e`, value: '["b","c"]', made: { a: ["b", "c"], d: "e" } },
  {
    reason: "a map where it stands",
    text: `a:${v}\nf: g`,
    value: "\n  b: c\n  d: e",
    made: { a: { b: "c", d: "e" }, f: "g" },
  },
  {
    reason: "a map that was indented",
    text: "a:\n{% .plugConfig.v | indent 2 %}\nf: g",
    value: "b: c\nd: e",
    made: { a: { b: "c", d: "e" }, f: "g" },
  },
  {
    reason: "lines of a block",
    text: "a: |{% .plugConfig.v | nindent 4 %}\nb: c",
    value: "x: y\nz\n",
    made: { a: "x: y\nz\n", b: "c" },
  },
  {
    reason: "lines of an indented block",
    text: "d:\n  a: |\n{% .plugConfig.v | indent 4 %}\n  b: c",
    value: "x: y\nz",
    made: { d: { a: "x: y\nz\n", b: "c" } },
  },
  { reason: "as a key", text: `a: {${v}: f}`, value: "b/c@d*", made: { a: { "b/c@d*": "f" } } },
  {
    reason: "as keys",
    text: "a:\n{%- range $k, $v := .plugConfig %}\n  {% $k | quote %}: {% $v | quote %}\n{%- end %}",
    value: "x: y",
    made: { a: { v: "x: y" } },
  },
  {
    reason: "items that it lists",
    text: 'a:\n{%- range splitList "," .plugConfig.v %}\n- {% . | quote %}\n{%- end %}',
    value: "b,c: d,e",
    made: { a: ["b", "c: d", "e"] },
  },
  {
    reason: "separators of the author",
    text: 'a: [{% $s := "" %}{% range splitList "," .plugConfig.v %}{% $s %}{% . | quote %}{% $s = ", " %}{% end %}]',
    value: "b,c: d",
    made: { a: ["b", "c: d"] },
  },
  {
    reason: "a condition on it",
    text: 'a: {% if eq .plugConfig.v "x: y" %}{b: c}{% else %}[]{% end %}',
    value: "x: y",
    made: { a: { b: "c" } },
  },
  {
    reason: "a condition on its length",
    text: "{% if gt (len .plugConfig.v) 3 %}a: b\n{% end %}c: d",
    value: "x: y",
    made: { a: "b", c: "d" },
  },
  { reason: "a comment", text: `a: b # ${v}`, value: "x: y", made: { a: "b" } },
  { reason: "nothing", text: `a: b\n${v}\nc: d`, value: "", made: { a: "b", c: "d" } },
  {
    reason: "a document as JSON",
    text: '{% dict "apiVersion" "v1" "kind" "ConfigMap" "metadata" (dict "name" "x") "a" .plugConfig.v | toJson %}',
    value: 'x: "y"',
    made: { a: 'x: "y"' },
  },
])("F-01: a value that does not change the structure of the text is accepted: $reason", ({ text, value, made }) => {
  expect(render(text, { v: value })).toEqual([made]);
});

test.each([
  { reason: "a key", text: 'a: b\n{% printf "host: %q" .plugConfig.v %}', value: "db", made: { a: "b", host: "db" } },
  {
    reason: "keys of its choice",
    text: `a: b\n{% index (dict "small" "cpu: '1'\\nmem: '2'") .plugConfig.v %}`,
    value: "small",
    made: { a: "b", cpu: "1", mem: "2" },
  },
  { reason: "a constant", text: `a: b\n{% .plugConfig.w | default "c: d" %}`, value: "", made: { a: "b", c: "d" } },
  {
    reason: "items",
    text: 'a: [{% range splitList "," .plugConfig.v %}{% printf "%q," . %}{% end %}]',
    value: "b,c",
    made: { a: ["b", "c"] },
  },
  {
    reason: "lines of items",
    text: 'a:\n- {% .plugConfig.v | splitList "," | join "\\n- " %}',
    value: "b,c",
    made: { a: ["b", "c"] },
  },
  {
    reason: "a separator by another variable",
    text: 'a: [{% $c := ", " %}{% $s := "" %}{% range splitList "," .plugConfig.v %}{% $s %}{% . %}{% $s = $c %}{% end %}]',
    value: "b,c",
    made: { a: ["b", "c"] },
  },
])("structure that the author's actions build from plain words is allowed: $reason", ({ text, value, made }) => {
  expect(render(text, { v: value })).toEqual([made]);
});

test.each([
  { reason: "words with more in them", action: '.plugConfig.v | splitList "," | join "\\n"', value: "x,evil: y" },
  { reason: "words that begin a list", action: '.plugConfig.v | splitList "," | join "\\n- "', value: "x,- y" },
  { reason: "a number that is a character", action: 'printf "%s%cevil: y" "x" (int .plugConfig.v)', value: "10" },
  { reason: "what decodes", action: "printf `%s` (b64dec .plugConfig.v)", value: btoa("x\nevil: y") },
  { reason: "a map of the plug", action: "range $k, $w := .plugConfig %}{% $k %}: x{% end", value: "x" },
])(
  "F-01: an action of the author is refused when a value changes what it adds to the structure: $reason",
  ({ action, value }) => {
    expect(() => render(`v: {% ${action} %}`, { v: value })).toThrow(InputError);
  },
);

test("F-01: a comma separates items only in the value that the template splits", () => {
  const text = 'a: [{% default .plugConfig.v (first (splitList "," .plugConfig.w)) %}]';
  expect(() => render(text, { v: "x,y", w: "" })).toThrow("would change the structure of the text");
});

test.each([
  { reason: "a space", text: `a: "${v}"`, value: " ", made: { a: " " } },
  { reason: "a space in a text", text: `a: 'x${v}y'`, value: " ", made: { a: "x y" } },
  {
    reason: "a list where its key begins",
    text: "s:\n  t: {% .plugConfig.v | nindent 2 %}\n  b: c",
    value: "- key: a\n- key: b",
    made: { s: { t: [{ key: "a" }, { key: "b" }], b: "c" } },
  },
  {
    reason: "a block that is indented and then trimmed",
    text: 'd:\n  a: |\n{% .plugConfig.v | indent 4 | trimSuffix "\\n" %}\n  b: c',
    value: "x: y\nz",
    made: { d: { a: "x: y\nz\n", b: "c" } },
  },
])("a list or map in its own place is allowed: $reason", ({ text, value, made }) => {
  expect(render(text, { v: value })).toEqual([made]);
});

test.each([
  { reason: "a key after a list", text: "t: {% .plugConfig.v | nindent 0 %}\nb: c", value: "- a\nevil: y" },
  { reason: "an item of a list of the author", text: "t:\n- a{% .plugConfig.v | nindent 0 %}", value: "- evil" },
])("F-01: a list from a value is refused when it adds to the author's structure: $reason", ({ text, value }) => {
  expect(() => render(text, { v: value })).toThrow("would change the structure of the text");
});

test("F-01: a refusal does not show what the author wrote into an action", () => {
  const text = `a: {% printf "master-secret-%s" .plugConfig.w | quote %}\nb: ${v}`;
  const what = expect.not.stringContaining("master-secret");
  expect(() => render(text, { v: "x\nevil: y", w: "a: b" })).toThrow(expect.objectContaining({ what }));
});

test.each([
  { reason: "its config", text: "a: b\n{% .socketConfig.more %}" },
  {
    reason: "by a variable",
    text: "{% $x := .socketConfig.more | nindent 0 %}{% if .plugConfig.v %}a: b{% $x %}{% end %}",
  },
  { reason: "by with", text: "a: b\n{% with .socketConfig %}{% .more %}{% end %}" },
])("values of the author's own side may add structure: $reason", ({ text }) => {
  expect(render(text, { v: "x" }, { more: "c: d\ne: f" })).toEqual([{ a: "b", c: "d", e: "f" }]);
});

const means = [
  "\n",
  "\n  ",
  "---\n",
  ": ",
  "- ",
  ", ",
  "{",
  "}",
  "[",
  "]",
  "'",
  '"',
  " #",
  "&b ",
  "*b",
  "<<: ",
  "? ",
  "|",
  "!!map ",
  "\u2028",
];
const hostile = fc.array(fc.constantFrom("x", "evil", " ", ...means), { maxLength: 8 }).map((parts) => parts.join(""));
const places = [
  "a: &b ours",
  "u: {% .plugConfig.v | trim %}",
  "b: {c: ours, d: {% .plugConfig.w %}, e: [ours, '{% .plugConfig.v %}', {% .plugConfig.w | quote %}]}",
  "f: |\n  x {% .plugConfig.v %}: y",
  "g: *b",
];

/** What the text makes, if it is not refused. */
function renderIfAccepted(text: string, plugConfig: Readonly<Record<string, string>>): unknown[] | undefined {
  try {
    return render(text, plugConfig);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

test("F-01: random values leave the author's structure as written, or are refused", () => {
  const [any, scalar] = [
    { asymmetricMatch: () => true },
    { asymmetricMatch: (value: unknown) => value === null || typeof value !== "object" },
  ];
  const ours = { a: "ours", u: any, b: { c: "ours", d: any, e: ["ours", scalar, scalar] }, f: scalar, g: "ours" };
  const accepted: unknown[] = [];
  fc.assert(
    fc.property(hostile, hostile, (one, other) => {
      const made = renderIfAccepted(places.join("\n"), { v: one, w: other }) ?? [];
      accepted.push(...made);
      expect([[], [ours]]).toContainEqual(made);
    }),
    { numRuns: 1_000 },
  );
  expect(accepted).not.toEqual([]);
});

test("thousands of values with placeholders cost time in proportion to their text", () => {
  const plugConfig = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`k${index}`, `[v${index}]`]));
  const text = "{% range $k, $v := .plugConfig %}{% $k %}: {% $v %}\n{% end %}z: {% repeat 900000 `x` %}";
  expect(Object.keys(render(text, plugConfig)[0] ?? {})).toHaveLength(4_001);
});

test("a value of many newlines costs no more than its text", () => {
  expect(unquotedIn(`a: ${v}`, `${"\n".repeat(900_000)}x`)).toEqual([".plugConfig.v"]);
});

function unquotedIn(text: string, value: string): string[] {
  const placeholders = new Placeholders();
  const output = new PlaceholderOutput(
    () => false,
    (insertion) => placeholders.for(insertion),
  );
  new PlugTemplate(text).render(new PlugData({ plugConfig: { v: value } }), output);
  return findUnquoted(output.text, placeholders);
}

test.each([
  { text: `a: ${v}`, value: "it's", isFound: true, reason: "a quote" },
  { text: `a: ${v}`, value: "x: y", isFound: true, reason: "a colon and a space" },
  { text: `a: ${v}`, value: "x #y", isFound: true, reason: "what begins a comment" },
  { text: `a: "${v}"`, value: "x: y", isFound: false, reason: "between quotes" },
  { text: `a: '${v}'`, value: "x: y", isFound: false, reason: "between single quotes" },
  { text: `a: '${v}'`, value: "it's", isFound: true, reason: "a quote between quotes of its own kind" },
  { text: `a: "${v}"`, value: "it's", isFound: false, reason: "a quote between others" },
  { text: `a: "${v}"`, value: "x\ny", isFound: true, reason: "a newline, which quotes do not keep" },
  { text: "a: {% .plugConfig.v | quote %}", value: "x\ny", isFound: false, reason: "a newline that was quoted" },
  { text: "a: {% .plugConfig.v | squote %}", value: "x: y", isFound: false, reason: "quoted by squote" },
  { text: "a: {% .plugConfig | toJson %}", value: "x: y", isFound: false, reason: "as JSON" },
  { text: "a: {% .plugConfig.v | b64enc %}", value: "x: y", isFound: false, reason: "encoded" },
  { text: `a: "${v}"\nb: ${v}`, value: "x: y", isFound: true, reason: "once with and once without" },
  { text: `a: ${v}`, value: "plain", isFound: false, reason: "nothing to quote" },
  {
    text: `a: |${v.replace(" %", " | nindent 4 %")}`,
    value: "plain",
    isFound: false,
    reason: "indented by the author",
  },
])("D.2: a value that needs quotes and has none is found: $value, $text, $reason", ({ text, value, isFound }) => {
  expect(unquotedIn(text, value)).toHaveLength(isFound ? 1 : 0);
});

test("D.2: an unquoted value that went through a function is named with the function", () => {
  expect(unquotedIn("a: {% .plugConfig.v | trim %}", " x: y")).toEqual([".plugConfig.v | trim"]);
});
