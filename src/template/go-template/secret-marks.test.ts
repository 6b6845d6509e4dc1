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
  { reason: "a secret is read by field", text: "{{ .config.password }}" },
  { reason: "a secret is tested by if", text: "{{ if .config.password }}{{ end }}" },
  { reason: "a secret is read through a variable", text: "{{ $c := .config }}{{ $c.password }}" },
  { reason: "a secret is read through dot", text: "{{ with .config }}{{ .password }}{{ end }}" },
  { reason: "a secret is read after a pipeline", text: "{{ (.config).password }}" },
  {
    reason: "a secret is read in another template",
    text: '{{ define "x" }}{{ .password }}{{ end }}{{ template "x" .config }}',
  },
  { reason: "a secret is read by index", text: '{{ index . "config" "password" }}' },
  { reason: "a secret is read by index in a list", text: "{{ index .list 1 }}" },
  { reason: "a secret is read by a function that gets its map", text: '{{ get .config "password" }}' },
  { reason: "the map of a secret is printed", text: "{{ .config }}" },
  { reason: "everything is printed", text: "{{ . }}" },
  { reason: "the map of a secret is passed to a function", text: "{{ show .config }}" },
  { reason: "a map around the map of a secret is passed to a function", text: "{{ show . }}" },
  { reason: "the map of a secret is passed on by a pipeline", text: "{{ .config | show }}" },
  { reason: "the map of a secret is one of many arguments", text: "{{ count 1 .config 2 }}" },
  { reason: "the map of a secret is printed by print", text: "{{ print .config }}" },
  { reason: "the map of a secret is measured", text: "{{ len .config }}" },
  { reason: "the map of a secret is ranged over", text: "{{ range .config }}{{ end }}" },
  { reason: "the list of a secret is ranged over", text: "{{ range .list }}{{ end }}" },
  { reason: "a secret is read through a named map", text: "{{ .named.inner.password }}" },
  { reason: "a named map around a secret is passed to a function", text: "{{ show .named }}" },
  { reason: "a secret is read through a struct", text: "{{ .struct.Held.password }}" },
  { reason: "a struct around a secret is passed to a function", text: "{{ show .struct }}" },
  { reason: "the map of a secret is chosen by or", text: "{{ show (or .nope .config) }}" },
])("a rendering is tainted: $reason", ({ text }) => {
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
])("a rendering is not tainted: $reason", ({ text }) => {
  expect(isTainted(text)).toBe(false);
});

test("SecretMarks finds the holders of secrets in data that contains itself", () => {
  const marks = new SecretMarks();
  const inner: GoObject = {};
  const outer: GoObject = { inner };
  outer["back"] = outer;
  marks.mark(inner, "key");
  expect(marks.hold(outer)).toBe(true);
  expect(marks.isHolder(outer)).toBe(true);
});
