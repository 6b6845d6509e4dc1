import { expect, test } from "vitest";
import {
  Bytes,
  type FunctionSet,
  type GoFunction,
  goFunction,
  type GoValue,
  Int,
  int,
  Named,
  type ParameterType,
  printValue,
  Slice,
  Struct,
  TypedNil,
  variadicFunction,
} from "#golang";
import { renderText } from "./render-text.fixture.ts";

/** Functions that show what they receive, one for each type. */
const types: readonly ParameterType[] = [
  "any",
  "reflect",
  "string",
  "bool",
  "float64",
  "int",
  "int32",
  "int64",
  "uint",
  "uint32",
  "uint64",
  "[]string",
  "[]any",
  "map[string]any",
  "[]map[string]any",
  "[]byte",
  "time.Time",
  "time.Duration",
  "*semver.Version",
  "sprig.certificate",
];

function show(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (value === undefined) return "undefined";
  return value instanceof Struct ? value.type : JSON.stringify(value);
}

const functions: FunctionSet = new Map<string, GoFunction>(
  types.map((type, index) => [`f${index}`, goFunction([type], ([value]) => show(value))]),
);

function given(type: ParameterType, word: string, data: GoValue = {}): string {
  try {
    return renderText(`{{ f${types.indexOf(type)} ${word} }}`, data, { functions });
  } catch (error) {
    return String(error).replace(/.*?>: /, "");
  }
}

const data: GoValue = {
  nil: null,
  text: "x",
  int: int(3),
  int64: new Int("int64", 3n),
  list: ["a"],
  strings: new Slice("string", ["a"]),
  nilStrings: new TypedNil("[]string"),
  bytes: new Bytes(Uint8Array.of(1)),
  map: { a: 1 },
  values: new Named("chartutil.Values", { a: 1 }),
  nilMap: new TypedNil("map[string]interface {}"),
  number: new Named("json.Number", "3"),
  duration: new Named("time.Duration", new Int("int64", 5n)),
  time: new Struct("time.Time", {}),
  timePointer: new Struct("*time.Time", {}),
  version: new Struct("*semver.Version", {}),
};

test.each<{ type: ParameterType; word: string; expected: string }>([
  { type: "any", word: ".missing", expected: "null" },
  { type: "any", word: ".nil", expected: "null" },
  { type: "reflect", word: ".missing", expected: "undefined" },
  { type: "reflect", word: ".nil", expected: "null" },
  { type: "reflect", word: "(.nil)", expected: "undefined" },
  { type: "reflect", word: "nil", expected: "undefined" },
  { type: "string", word: ".missing", expected: "invalid value; expected string" },
  { type: "string", word: ".nil", expected: "wrong type for value; expected string; got interface {}" },
  { type: "string", word: "(.nil)", expected: "invalid value; expected string" },
  { type: "string", word: "nil", expected: "cannot assign nil to string" },
  { type: "string", word: ".number", expected: "wrong type for value; expected string; got json.Number" },
  { type: "string", word: "1", expected: "expected string; found 1" },
  { type: "bool", word: "true", expected: "true" },
  { type: "bool", word: '"x"', expected: 'expected bool; found "x"' },
  { type: "float64", word: "3", expected: "3" },
  { type: "float64", word: "1i", expected: "expected float; found 1i" },
  { type: "float64", word: ".int", expected: "wrong type for value; expected float64; got int" },
  { type: "int", word: "'a'", expected: "97n" },
  { type: "int", word: "1e3", expected: "1000n" },
  { type: "int", word: "1.5", expected: "expected integer; found 1.5" },
  { type: "int", word: ".int64", expected: "wrong type for value; expected int; got int64" },
  { type: "int32", word: "4294967297", expected: "1n" },
  { type: "uint", word: "-1", expected: "expected unsigned integer; found -1" },
  { type: "uint64", word: "18446744073709551615", expected: "18446744073709551615n" },
  { type: "uint32", word: "3", expected: "3n" },
  { type: "int64", word: ".int64", expected: "3n" },
  { type: "[]string", word: ".strings", expected: '["a"]' },
  { type: "[]string", word: ".nilStrings", expected: "[]" },
  { type: "[]string", word: ".missing", expected: "[]" },
  { type: "[]string", word: ".list", expected: "wrong type for value; expected []string; got []interface {}" },
  { type: "[]string", word: '"x"', expected: 'can\'t handle "x" for arg of type []string' },
  { type: "[]any", word: ".list", expected: '["a"]' },
  { type: "[]any", word: ".strings", expected: "wrong type for value; expected []interface {}; got []string" },
  { type: "map[string]any", word: ".map", expected: '{"a":1}' },
  { type: "map[string]any", word: ".values", expected: '{"a":1}' },
  { type: "map[string]any", word: ".nilMap", expected: "{}" },
  {
    type: "map[string]any",
    word: ".nil",
    expected: "wrong type for value; expected map[string]interface {}; got interface {}",
  },
  {
    type: "[]map[string]any",
    word: ".list",
    expected: "wrong type for value; expected []map[string]interface {}; got []interface {}",
  },
  { type: "[]byte", word: ".text", expected: "wrong type for value; expected []uint8; got string" },
  { type: "[]byte", word: ".bytes", expected: '{"bytes":{"0":1}}' },
  { type: "time.Time", word: ".timePointer", expected: "*time.Time" },
  { type: "time.Time", word: ".version", expected: "wrong type for value; expected time.Time; got *semver.Version" },
  { type: "time.Duration", word: ".duration", expected: "5n" },
  { type: "time.Duration", word: "7", expected: "7n" },
  { type: "time.Duration", word: ".int64", expected: "wrong type for value; expected time.Duration; got int64" },
  { type: "*semver.Version", word: ".version", expected: "*semver.Version" },
  {
    type: "sprig.certificate",
    word: ".time",
    expected: "wrong type for value; expected sprig.certificate; got time.Time",
  },
])("a parameter of type $type given $word", ({ type, word, expected }) => {
  expect(given(type, word, data)).toBe(expected);
});

const object = new Struct("*chart.Files", {
  fields: { Name: "files", Values: { a: "b" } },
  methods: {
    Get: goFunction(["string"], ([name]) => `<${name}>`),
    All: variadicFunction(["string"], "any", (args) => args.map((arg) => printValue(arg)).join("+")),
    Self: goFunction([], () => object),
  },
});
const named = new Named(
  "chartutil.Values",
  { Has: "key", a: 1 },
  { Has: goFunction(["string"], ([name]) => name === "a") },
);

test.each([
  { reason: "a method without arguments", text: "{{ .files.Self.Name }}", expected: "files" },
  { reason: "a method with arguments", text: '{{ .files.Get "a" }}', expected: "<a>" },
  { reason: "the pipeline gives the last argument", text: '{{ "a" | .files.Get }}', expected: "<a>" },
  {
    reason: "variables in arguments",
    text: '{{ $x := "v" }}{{ range 1 }}{{ $y := "w" }}{{ $.files.All $x $y }}{{ end }}',
    expected: "v+w",
  },
  { reason: "after a pipeline", text: '{{ (.files).All "a" 1 nil | print }}', expected: "a+1+<nil>" },
  { reason: "the same place, another signature", text: '{{ range .both }}{{ .Get "a" }}{{ end }}', expected: "<a>2a" },
  { reason: "a method comes before a key", text: '{{ .values.Has "a" }}{{ .values.a }}', expected: "true1" },
  { reason: "a field of a field", text: "{{ .files.Values.a }}", expected: "b" },
])("methods and fields: $reason", ({ text, expected }) => {
  const other = new Struct("main.other", {
    methods: { Get: variadicFunction([], "any", (args) => `2${args.map((arg) => printValue(arg)).join()}`) },
  });
  expect(renderText(text, { files: object, values: named, both: [object, other] })).toBe(expected);
});

test.each([
  { text: "{{ .files.Get }}", problem: "wrong number of args for Get: want 1 got 0" },
  { text: "{{ .files.Get.x }}", problem: "wrong number of args for Get: want 1 got 0" },
  { text: "{{ .files.Get 1 }}", problem: "expected string; found 1" },
  { text: "{{ .files.All }}", problem: "wrong number of args for All: want at least 1 got 0" },
  { text: "{{ .files.Name 1 }}", problem: "Name has arguments but cannot be invoked as function" },
  { text: "{{ .values.a 1 }}", problem: "a is not a method but has arguments" },
  { text: "{{ .files.Nope }}", problem: "can't evaluate field Nope in type interface {}" },
  { text: "{{ with .files }}{{ .Nope }}{{ end }}", problem: "can't evaluate field Nope in type *chart.Files" },
])("methods and fields: $problem", ({ text, problem }) => {
  expect(() => renderText(text, { files: object, values: named })).toThrow(problem);
});
