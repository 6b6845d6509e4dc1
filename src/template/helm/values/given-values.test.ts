import { describe, expect, test } from "vitest";
import { mergeValueSources } from "./given-values.ts";

describe("mergeValueSources", () => {
  test("mergeValueSources merges maps and replaces everything else; the later file wins", () => {
    const files = [
      { name: "one.yaml", text: "a: { b: 1, c: [1, 2] }\nd: 1" },
      { name: "two.yaml", text: "a: { c: [3], e: null }\nd: { f: 1 }" },
      { name: "empty.yaml", text: "" },
    ];
    expect(mergeValueSources({ files }).values).toEqual({ a: { b: 1, c: [3], e: null }, d: { f: 1 } });
  });

  test("the kinds of --set win in Helm's order, not in that of the command line", () => {
    const { values } = mergeValueSources(
      {
        files: [{ name: "v.yaml", text: "a: file\nb: file\nc: file\nd: file\ne: file" }],
        setLiteral: ["e=literal"],
        setFile: ["d=path", "e=path"],
        setString: ["c=string", "d=string"],
        set: ["b=set", "c=set"],
        setJson: ['a="json"', 'b="json"'],
      },
      () => "content",
    );
    expect(values).toEqual({ a: "json", b: "set", c: "string", d: "content", e: "literal" });
  });

  test("whereIs gives the source of each value", () => {
    const { whereIs } = mergeValueSources({
      files: [
        { name: "one.yaml", text: "a:\n  b: 1\n  c: [x, y]\n" },
        { name: "two.yaml", text: "# first\na: { b: 2 }" },
      ],
      set: ["z.y=1"],
    });
    expect(whereIs(["a", "b"])).toBe("two.yaml:2:6");
    expect(whereIs(["a", "c", 1])).toBe("one.yaml:3:10");
    expect(whereIs(["z", "y"])).toBe("--set z.y=1");
    expect(whereIs(["nowhere"])).toBeUndefined();
  });

  test.each([
    { sources: { files: [{ name: "v.yaml", text: "a: [" }] }, said: "v.yaml:1:4" },
    { sources: { files: [{ name: "v.yaml", text: "- 1" }] }, said: "v.yaml: must be a map of values" },
    { sources: { set: ["a[x]=1"] }, said: '--set a[x]=1: "x" is not a list index' },
    { sources: { setFile: ["a=path"] }, said: "--set-file is not supported here" },
  ])("mergeValueSources names the faulty source: $said", ({ sources, said }) => {
    expect(() => mergeValueSources(sources)).toThrow(said);
  });
});
