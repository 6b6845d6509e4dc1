import { expect, test } from "vitest";
import { goFunction, type GoObject, Named, printValue, Struct, variadicFunction } from "#golang";
import { renderText } from "./render-text.fixture.ts";
import { SecretMarks, TaintTracker } from "./secret-marks.ts";

const secretMap = { user: "ann", password: "hunter2", tags: ["open"] };
const list = ["open", "hidden"];
const data = {
  config: secretMap,
  list,
  open: { a: 1 },
  named: new Named("chartutil.Values", { inner: secretMap }),
  struct: new Struct("main.box", { fields: { Held: secretMap, Plain: "x" } }),
};

function marksOf(): SecretMarks {
  const marks = new SecretMarks();
  marks.mark(secretMap, "password");
  marks.mark(list, 1);
  marks.hold(data);
  return marks;
}

const functions = new Map([
  ["show", goFunction(["any"], ([value]) => printValue(value))],
  ["get", goFunction(["map[string]any", "string"], ([map, key]) => map[key])],
  ["count", variadicFunction([], "any", (args) => String(args.length))],
]);

function isTainted(text: string): boolean {
  const secrets = new TaintTracker(marksOf());
  renderText(text, data, { secrets, functions });
  return secrets.tainted;
}

test.each([
  { reason: "read by field", text: "{{ .config.password }}" },
  { reason: "only looked at", text: "{{ if .config.password }}{{ end }}" },
  { reason: "read through a variable", text: "{{ $c := .config }}{{ $c.password }}" },
  { reason: "read through dot", text: "{{ with .config }}{{ .password }}{{ end }}" },
  { reason: "read after a pipeline", text: "{{ (.config).password }}" },
  { reason: "read in another template", text: '{{ define "x" }}{{ .password }}{{ end }}{{ template "x" .config }}' },
  { reason: "read by index", text: '{{ index . "config" "password" }}' },
  { reason: "read by index in a list", text: "{{ index .list 1 }}" },
  { reason: "read by a function that gets a key", text: '{{ get .config "password" }}' },
  { reason: "its map is printed", text: "{{ .config }}" },
  { reason: "everything is printed", text: "{{ . }}" },
  { reason: "its map is handed to a function", text: "{{ show .config }}" },
  { reason: "a map around its map is handed to a function", text: "{{ show . }}" },
  { reason: "its map is handed on by a pipeline", text: "{{ .config | show }}" },
  { reason: "its map is one of many arguments", text: "{{ count 1 .config 2 }}" },
  { reason: "its map is printed by print", text: "{{ print .config }}" },
  { reason: "its map is measured", text: "{{ len .config }}" },
  { reason: "its map is ranged over", text: "{{ range .config }}{{ end }}" },
  { reason: "its list is ranged over", text: "{{ range .list }}{{ end }}" },
  { reason: "through a named map", text: "{{ .named.inner.password }}" },
  { reason: "a named map around it", text: "{{ show .named }}" },
  { reason: "through a struct", text: "{{ .struct.Held.password }}" },
  { reason: "a struct around it", text: "{{ show .struct }}" },
  { reason: "chosen by or", text: "{{ show (or .nope .config) }}" },
])("tainted: a secret was $reason", ({ text }) => {
  expect(isTainted(text)).toBe(true);
});

test.each([
  { reason: "a neighbour was read", text: "{{ .config.user }}" },
  { reason: "a neighbour was read by index", text: '{{ index .config "user" }}{{ index .list 0 }}' },
  { reason: "its map was kept in a variable", text: "{{ $c := .config }}{{ $c.user }}" },
  { reason: "its map became dot", text: "{{ with .config }}{{ .user }}{{ end }}" },
  {
    reason: "its map went to another template",
    text: '{{ define "x" }}{{ .user }}{{ end }}{{ template "x" .config }}',
  },
  { reason: "its map was chosen by and", text: "{{ with and true .config }}{{ .user }}{{ end }}" },
  { reason: "a list beside it was printed", text: "{{ .config.tags }}{{ range .config.tags }}{{ . }}{{ end }}" },
  { reason: "other data was handed to a function", text: "{{ show .open }}{{ .struct.Plain }}" },
  { reason: "a branch was not taken", text: "{{ if false }}{{ .config.password }}{{ end }}" },
  { reason: "an or did not get so far", text: "{{ or 1 .config.password }}" },
])("not tainted: $reason", ({ text }) => {
  expect(isTainted(text)).toBe(false);
});

test("marks find their holders in data that holds itself", () => {
  const marks = new SecretMarks();
  const inner: GoObject = {};
  const outer: GoObject = { inner };
  outer["back"] = outer;
  marks.mark(inner, "key");
  expect(marks.hold(outer)).toBe(true);
  expect(marks.isHolder(outer)).toBe(true);
});
