import { describe, expect, test } from "vitest";
import { type GoObject, int64, newMap } from "#golang";
import { applySetLine, type SetMode } from "./set-line.ts";

function applied(line: string, mode: SetMode, values: GoObject = {}): unknown {
  applySetLine(line, values, mode);
  return JSON.parse(JSON.stringify(values, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value)));
}

/** Integers stay integers, as nothing in YAML does: seen as `{ kind, value }`. */
const integer = (value: number) => ({ kind: "int64", value });

describe("applySetLine", () => {
  test.each([
    { line: "a=1,b=-5,c=0", values: { a: integer(1), b: integer(-5), c: integer(0) }, reason: "integers" },
    {
      line: "a=01,b=1.5,c=1e3,d=0x1F",
      values: { a: "01", b: "1.5", c: "1e3", d: "0x1F" },
      reason: "text that looks like a number",
    },
    {
      line: "a=9223372036854775808",
      values: { a: "9223372036854775808" },
      reason: "a number too large for an integer as text",
    },
    {
      line: "a=true,b=FALSE,c=Null,d=nil",
      values: { a: true, b: false, c: null, d: "nil" },
      reason: "booleans and null",
    },
    { line: "a=,b=x", values: { a: "", b: "x" }, reason: "a missing value as empty text" },
    { line: "a.b.c=d", values: { a: { b: { c: "d" } } }, reason: "nested maps" },
    { line: "a={1,x},b={}", values: { a: [integer(1), "x"], b: [""] }, reason: "lists" },
    { line: "a[2]=x", values: { a: [null, null, "x"] }, reason: "a list index, with nulls before it" },
    { line: "a[0].b=1,a[0].c=2", values: { a: [{ b: integer(1), c: integer(2) }] }, reason: "maps in lists" },
    { line: "a[1][0]=x", values: { a: [null, ["x"]] }, reason: "lists in lists" },
    { line: String.raw`a\.b=x\,y`, values: { "a.b": "x,y" }, reason: "escapes" },
    { line: "a=b=c", values: { a: "b=c" }, reason: "an equals sign in a value" },
    { line: "a[0]", values: { a: [] }, reason: "an index at the end, as in Helm" },
    { line: "", values: {}, reason: "an empty line" },
    {
      line: "__proto__.polluted=1",
      values: JSON.parse('{"__proto__":{"polluted":{"kind":"int64","value":1}}}'),
      reason: "__proto__ as an ordinary key",
    },
  ])("--set reads $reason: $line", ({ line, values }) => {
    expect(applied(line, "typed")).toEqual(values);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("--set changes the values that it names and leaves the others", () => {
    const values = newMap([
      [
        "a",
        newMap([
          ["b", 1],
          ["c", [1, 2]],
        ]),
      ],
    ]);
    applySetLine("a.b=x,a.c[1]=y", values, "typed");
    expect(values).toEqual({ a: { b: "x", c: [1, "y"] } });
    expect(int64(1n)).not.toEqual(1);
  });

  test.each([
    { mode: "string", line: "a=1,b=null", values: { a: "1", b: "null" }, reason: "text" },
    {
      mode: "json",
      line: 'a={"b":[1,"x,y"]},c=null,d=',
      values: { a: { b: [1, "x,y"] }, c: null, d: null },
      reason: "JSON",
    },
    { mode: "json", line: 'a[1]={"b":1}', values: { a: [null, { b: 1 }] }, reason: "JSON in a list" },
    {
      mode: "literal",
      line: "a.b=x,y={z}\\",
      values: { a: { b: "x,y={z}\\" } },
      reason: "a literal, up to the end of the line",
    },
  ] as const)("a set line is read as $reason: $line", ({ mode, line, values }) => {
    expect(applied(line, mode)).toEqual(values);
  });

  test("--set-file takes values from files", () => {
    expect(applied("a=one,b.c=two", (path) => `<${path}>`)).toEqual({ a: "<one>", b: { c: "<two>" } });
  });

  test.each([
    { line: "a", said: 'key "a" has no value; write key=value' },
    { line: "a,b=1", said: 'key "a" has no value, and is followed by a comma' },
    { line: "a={1,2", said: "must end with }" },
    { line: "a[x]=1", said: '"x" is not a list index' },
    { line: "a[-1]=1", said: "the list index -1 is negative" },
    { line: "a[65537]=1", said: "greater than 65536" },
    { line: "a[0", said: "no closing ]" },
    { line: "a[0]b=1", said: '"b" follows an index' },
    { line: "text.x=1", said: "text is a string, not a map" },
    { line: "text[0]=1", said: "text is a string, not a list" },
    { line: "list.x=1", said: "list is a list, not a map" },
    { line: "table[0]=1", said: "table is a table, not a list" },
    { line: "nothing.x=1", said: "nothing is null, not a map" },
    { line: `${"a.".repeat(31)}b=1`, said: "deeper than 30 levels" },
  ])("--set refuses $line", ({ line, said }) => {
    expect(() => applied(line, "typed", { text: "x", list: [], table: {}, nothing: null })).toThrow(said);
  });

  test.each(["a=x", "a=1e999", 'a={"b":1', "a=tru", "a='x'"])(
    "--set-json refuses a value that is not valid JSON: %s",
    (line) => {
      expect(() => applied(line, "json")).toThrow("the value is not valid JSON");
    },
  );
});
