import { expect, test } from "vitest";
import { Budget, LimitError, tenantLimits } from "./budget.ts";
import { printValue, sprint, sprintf } from "./format.ts";
import { Bytes, GoMap, Int, int, Named, Slice, Struct, TypedNil } from "./typed-values.ts";
import type { GoValue } from "./value.ts";

const time = new Struct("time.Time", { text: () => "2020-01-01" });
const pair = new Struct("main.pair", { fields: { Cert: "c", Count: int(1), Inner: time } });
const pointer = new Struct("*main.pair", { fields: { Cert: "c" } });
const duration = new Named("time.Duration", new Int("int64", 90_000_000_000n), {}, () => "1m30s");
const bytes = new Bytes(Uint8Array.of(104, 105));

const printed: { reason: string; format: string; value: GoValue; expected: string }[] = [
  { reason: "a type's own text", format: "%v|%s|%q|%x", value: time, expected: '2020-01-01|2020-01-01|"2020-01-01"|' },
  { reason: "fields in order", format: "%v", value: pair, expected: "{c 1 2020-01-01}" },
  { reason: "fields with names", format: "%+v", value: pair, expected: "{Cert:c Count:1 Inner:2020-01-01}" },
  { reason: "Go syntax", format: "%#v", value: new Struct("a.b", { fields: { S: "x" } }), expected: 'a.b{S:"x"}' },
  { reason: "a pointer to a struct", format: "%v", value: pointer, expected: "&{c}" },
  { reason: "a named number with a text", format: "%v %d %T", value: duration, expected: "1m30s" },
  { reason: "a named string", format: "%v", value: new Named("json.Number", "12"), expected: "12" },
  {
    reason: "a wrong verb names the type",
    format: "%d",
    value: new Named("json.Number", "12"),
    expected: "%!d(json.Number=12)",
  },
  { reason: "bytes are numbers", format: "%v", value: bytes, expected: "[104 105]" },
  { reason: "bytes as text", format: "%s", value: bytes, expected: "hi" },
  { reason: "bytes in hexadecimal", format: "%x", value: bytes, expected: "6869" },
  { reason: "bytes in Go syntax", format: "%#v", value: bytes, expected: "[]byte{0x68, 0x69}" },
  { reason: "strings", format: "%v", value: new Slice("string", ["a", "b c"]), expected: "[a b c]" },
  { reason: "quoted strings", format: "%q", value: new Slice("string", ["a"]), expected: '["a"]' },
  { reason: "their type", format: "%#v", value: new Slice("string", ["a"]), expected: '[]string{"a"}' },
  {
    reason: "a map by key",
    format: "%v",
    value: new GoMap("string", "string", new Map(Object.entries({ b: "2", a: "1" }))),
    expected: "map[a:1 b:2]",
  },
  { reason: "a nil map", format: "%v", value: new TypedNil("map[string]interface {}"), expected: "map[]" },
  {
    reason: "a nil map's type",
    format: "%#v",
    value: new TypedNil("map[string]string"),
    expected: "map[string]string(nil)",
  },
  { reason: "a nil slice", format: "%v", value: new TypedNil("[]string"), expected: "[]" },
  { reason: "a nil pointer", format: "%v", value: new TypedNil("*a.b"), expected: "<nil>" },
  { reason: "an unsigned number in Go syntax", format: "%#v", value: new Int("uint8", 10n), expected: "0xa" },
  { reason: "a nil interface", format: "%#v", value: [null], expected: "[]interface {}{interface {}(nil)}" },
];

test.each(printed)("$format prints $reason", ({ format, value, expected }) => {
  expect(
    sprintf(
      format,
      format
        .split("%")
        .slice(1)
        .map(() => value),
    ),
  ).toContain(expected);
});

test("print sets spaces only between operands that are not strings, named ones included", () => {
  expect(sprint([int(1), int(2), "a", "b", new Named("json.Number", "3"), int(4), null])).toBe("1 2ab34 <nil>");
});

test("a key of Object's prototype is printed like any other", () => {
  expect(printValue(JSON.parse('{"__proto__": 1, "constructor": {"toString": 2}}'))).toBe(
    "map[__proto__:1 constructor:map[toString:2]]",
  );
});

test("what grows beyond the bound ends in a LimitError", () => {
  let laughs: GoValue = "ha";
  for (let level = 0; level < 40; level += 1) laughs = [laughs, laughs];
  expect(() => printValue(laughs, new Budget(tenantLimits))).toThrow(LimitError);
  expect(() =>
    sprintf(
      "%9999999d".repeat(100),
      Array.from({ length: 100 }, () => int(1)),
      new Budget(tenantLimits),
    ),
  ).toThrow(LimitError);
  expect(() => sprint(["x".repeat(600_000), "y".repeat(600_000)], new Budget(tenantLimits))).toThrow(LimitError);
});

const fourBytes = new Bytes(Uint8Array.of(0, 10, 10, 255));

test.each([
  { verb: "%v", value: fourBytes, expected: "[0 10 10 255]" },
  { verb: "%5d", value: fourBytes, expected: "[    0    10    10   255]" },
  { verb: "%o", value: fourBytes, expected: "[0 12 12 377]" },
  { verb: "%#v", value: fourBytes, expected: "[]byte{0x0, 0xa, 0xa, 0xff}" },
  { verb: "%v", value: [fourBytes, 1], expected: "[[0 10 10 255] 1]" },
  { verb: "%#v", value: [fourBytes], expected: "[]interface {}{[]uint8{0x0, 0xa, 0xa, 0xff}}" },
  { verb: "%t", value: fourBytes, expected: "[%!t(uint8=0) %!t(uint8=10) %!t(uint8=10) %!t(uint8=255)]" },
])("bytes print as a list of integers: $verb gives $expected", ({ verb, value, expected }) => {
  expect(sprintf(verb, [value])).toBe(expected);
});
