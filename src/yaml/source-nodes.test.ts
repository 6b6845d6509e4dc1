import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { parseYamlDocuments } from "./parse-yaml.ts";
import { structureCases } from "./read-cases.fixture.ts";
import { readSourceNodes, type SourceNode, type SourceScalar } from "./source-nodes.ts";

function scalars(node: SourceNode): SourceScalar[] {
  if (node.kind === "scalar") return [node];
  return node.kind === "list" ? node.items.flatMap(scalars) : node.entries.flatMap(({ value }) => scalars(value));
}

/** The nodes as plain values, with texts for all scalars. */
function plain(node: SourceNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
}

describe("readSourceNodes", () => {
  test("finds each scalar where it is written", () => {
    const text = [
      "# a: comment",
      'a: "quoted" # behind',
      "b:",
      "- plain text",
      "- {c: 'single', d: [x, y]}",
      "-",
      "- - nested",
      "e: |",
      "  block",
      "---",
      "? f",
      ": g\r",
      "h: plain",
      "",
    ].join("\n");
    const roots = readSourceNodes(text);
    expect(roots.map(plain)).toEqual([
      { a: "quoted", b: ["plain text", { c: "single", d: ["x", "y"] }, "", ["nested"]], e: "block\n" },
      { f: "g", h: "plain" },
    ]);
    const verbatim = roots.flatMap(scalars).filter(({ isVerbatim }) => isVerbatim);
    expect(verbatim.map(({ start, end }) => text.slice(start, end))).toEqual([
      "quoted",
      "plain text",
      "single",
      "x",
      "y",
      "nested",
      "g",
      "plain",
    ]);
  });

  test.each([
    { written: '"a\\u0062c"', reason: "an escape is not the character that it stands for" },
    { written: "'it''s'", reason: "a doubled quote is one quote" },
    { written: "two\n  lines", reason: "a line break becomes a space" },
    { written: "|\n  abc", reason: "a block scalar has indentation" },
    { written: "", reason: "nothing is written" },
  ])("does not call $written verbatim, because $reason", ({ written }) => {
    const [root] = readSourceNodes(`key: ${written}\n`);
    expect(root && scalars(root).map(({ isVerbatim }) => isVerbatim)).toEqual([false]);
  });

  test("leads from aliases and merges to what they stand for, and says that it is shared", () => {
    const text = "base: &base {repository: r, tag: &tag t}\nuse:\n  <<: *base\n  tag: own\nalso: *tag\n";
    const [root] = readSourceNodes(text);
    if (root?.kind !== "map") throw new Error("expected a map");
    expect(plain(root)).toEqual({
      base: { repository: "r", tag: "t" },
      use: { tag: "own", repository: "r" },
      also: "t",
    });
    const [base, use, also] = root.entries;
    expect(use?.value.kind === "map" && use.value.entries.map(({ key, isShared }) => [key, isShared])).toEqual([
      ["tag", false],
      ["repository", true],
    ]);
    expect(also).toMatchObject({ isShared: true, value: { hasAnchor: true } });
    expect(base).toMatchObject({ isShared: false });
  });

  test("gives the lists and maps that the reader gives", () => {
    let compared = 0;
    for (const { text } of structureCases) {
      const documents = readDocuments(text);
      if (!documents) continue;
      const shapes = readSourceNodes(text).map((node) => shapeOf(plain(node)));
      expect({ text, shapes }).toEqual({ text, shapes: documents.map(shapeOf) });
      compared += 1;
    }
    expect(compared).toBeGreaterThan(20);
  });
});

function readDocuments(text: string): readonly unknown[] | undefined {
  try {
    return parseYamlDocuments(text).map(({ value }) => value);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** The lists and maps of a value, without its scalars and keys. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  return value !== null && typeof value === "object" ? { map: Object.values(value).map(shapeOf).length } : "scalar";
}
