import { describe, expect, test } from "vitest";
import { InputError, isJsonList } from "#base";
import { parseExactYamlDocuments, parseYaml, parseYamlDocuments } from "./parse-yaml.ts";
import { WholeFloat } from "./resolve-scalar.ts";

function refusal(parse: () => unknown): InputError {
  try {
    parse();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("parseYaml", () => {
  test.each([
    { reason: "nothing", text: "", value: null },
    { reason: "markers and comments only", text: "---\n# a\n---\n", value: null },
    { reason: "an empty document before it", text: "---\n---\na: 1\n", value: { a: 1 } },
    { reason: "an empty document behind it", text: "a: 1\n---\n", value: { a: 1 } },
  ])("reads a text with $reason", ({ text, value }) => {
    expect(parseYaml(text)).toEqual(value);
  });

  test("refuses a second document", () => {
    const error = refusal(() => parseYaml("a: 1\n---\nb: 2\n", { file: "x.yml" }));
    expect(error.message).toBe("x.yml:3: expected one YAML document, got a second one; put it into a file of its own");
  });

  test("refuses an error behind the first document, which Helm would ignore", () => {
    expect(refusal(() => parseYaml("[a]\nb\n")).what).toContain("did not find expected <document start>");
  });

  test("refuses a key that comes twice, unless the last one may win", () => {
    const text = "a: 1\nb:\n  c: 1\n  c: 2\n";
    const error = refusal(() => parseYaml(text, { file: "x.yml" }));
    expect(error.message).toBe(
      'x.yml:4:3: not valid YAML: key "c" already set in map, in `c: 2`; remove or rename one of them',
    );
    expect(parseYaml(text, { duplicateKeys: "last-wins" })).toEqual({ a: 1, b: { c: 2 } });
  });

  test("refuses two keys that become the same in JSON, which Go leaves to chance", () => {
    expect(refusal(() => parseYaml('1: a\n"1": b\n')).what).toContain("already set");
  });
});

describe("parseYamlDocuments", () => {
  test("gives each document its line, and leaves out empty ones", () => {
    const text = "# first\na: 1\n---\n---\n\nb: 2\n...\n--- c\n";
    expect(parseYamlDocuments(text)).toEqual([
      { value: { a: 1 }, line: 2 },
      { value: { b: 2 }, line: 6 },
      { value: "c", line: 8 },
    ]);
  });

  test("documents of one text do not share anchors or tag handles", () => {
    expect(refusal(() => parseYamlDocuments("a: &x 1\n---\nb: *x\n")).where).toBe("line 3, column 4");
    expect(refusal(() => parseYamlDocuments("%TAG !e! x:\n---\n!e!a 1\n---\n!e!a 1\n")).what).toContain("tag handle");
  });

  test("an alias gives a copy of what it repeats", () => {
    const value = parseYaml("- &x {k: [1]}\n- *x\n");
    expect(value).toEqual([{ k: [1] }, { k: [1] }]);
    expect(isJsonList(value) && value[0] === value[1]).toBe(false);
  });
});

describe("an error", () => {
  test.each([
    {
      reason: "two colons",
      text: "x: 1\ny: a: b\n",
      message:
        'f:2:5: not valid YAML: mapping values are not allowed in this context, in `y: a: b`; put the value in quotes if it contains ": ", or correct the indentation',
    },
    {
      reason: "an indentation that fits nothing, where Go names the line before",
      text: "a:\n  b: 1\n c: 2\n",
      message:
        "f:3:2: not valid YAML: did not find expected key, in `c: 2`; indent this line like the entries before it",
    },
    {
      reason: "a tab",
      text: "a:\n\tb: 1\n",
      message:
        "f:2:1: not valid YAML: found character that cannot start any token, in `b: 1`; put a text that begins so in quotes; indent with spaces, not tabs",
    },
    {
      reason: "the end of the text, which is shown as the last line",
      text: "a: [1,\n  2\n\n\n",
      message:
        "f:2:3: not valid YAML: did not find expected ',' or ']', in `2`; close the bracket, or put a comma between the entries",
    },
    {
      reason: "a value that JSON does not know",
      text: "a: 1\nb: [.inf]\n",
      message:
        "f:2:5: not valid YAML: json: unsupported value: +Inf, in `b: [.inf]`; put it in quotes: there is no such number in JSON",
    },
    {
      reason: "a tag that does not fit",
      text: "a:\n  b: !!int x\n",
      message:
        "f:2:6: not valid YAML: cannot decode !!str `x` as a !!int, in `b: !!int x`; remove the tag, or write what it asks for",
    },
    {
      reason: "a control character",
      text: "a: 1\nb: \u0007\n",
      message:
        "f:2:4: not valid YAML: control characters are not allowed, in `b: \u0007`; remove the character, or write it as an escape in double quotes",
    },
    {
      reason: "an entry without a key",
      text: "a: 1\n~: 2\n",
      message:
        "f:2:1: not valid YAML: unsupported map key of type: %!s(<nil>), key: <nil>, value: 2, in `~: 2`; give the entry a key that is a text",
    },
  ])("an error in YAML names its position, its line and a remedy: $reason", ({ text, message }) => {
    expect(refusal(() => parseYaml(text, { file: "f" })).message).toBe(message);
  });

  test("an error shows only a part of a long line", () => {
    const text = `a: "${"x".repeat(200)}" b ${"y".repeat(200)}\n`;
    const { what } = refusal(() => parseYaml(text));
    expect(what).toMatch(/in `….{70,80}…`$/);
    expect(what).toContain('x" b y');
  });
});

describe("bytes", () => {
  test("bytes are read as UTF-8, or as UTF-16 if they begin with its byte order mark", () => {
    expect(parseYaml(Buffer.from("a: é\n"))).toEqual({ a: "é" });
    expect(parseYaml(Buffer.from("\ufeffa: é\n", "utf16le"))).toEqual({ a: "é" });
    expect(parseYaml(Buffer.from("\ufeffa: é\n", "utf16le").swap16())).toEqual({ a: "é" });
  });

  test("an error about bytes that are not UTF-8 names the first of them, even behind a U+FFFD in the text", () => {
    const bytes = Buffer.concat([Buffer.from("a: \ufffd\nb: x"), Buffer.from([0xff]), Buffer.from("\n")]);
    const error = refusal(() => parseYaml(bytes, { file: "x.yml" }));
    expect(error.message).toBe("x.yml:2:5: not valid UTF-8; save the file as UTF-8");
  });
});

describe("a small text never becomes a large value or a long wait", () => {
  test("aliases of aliases are refused", () => {
    const lines = ["a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]"];
    for (const [previous, name] of ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"].map((pair) => pair.split("")))
      lines.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${previous}`).join(", ")}]`);
    expect(refusal(() => parseYaml(lines.join("\n"))).what).toContain("document contains excessive aliasing");
  });

  test("aliases that repeat a lot, but not of each other, are read", () => {
    const text = `a: &a {${Array.from({ length: 50 }, (_, at) => `k${at}: v`).join(", ")}}\nb: [${"*a, ".repeat(90)}]\n`;
    expect(parseYaml(text)).toMatchObject({ b: { length: 90 } });
  });

  test.each([
    { reason: "brackets", text: `${"[".repeat(501)}${"]".repeat(501)}` },
    { reason: "brackets that are never closed", text: "[".repeat(1_000_000) },
    { reason: "dashes", text: "- ".repeat(501) },
    { reason: "keys", text: Array.from({ length: 501 }, (_, depth) => `${" ".repeat(depth)}k:`).join("\n") },
    {
      reason: "aliases",
      text: `a: &a ${"[".repeat(300)}${"]".repeat(300)}\nb: ${"[".repeat(300)}*a${"]".repeat(300)}`,
    },
  ])("deep nesting by $reason is refused", ({ text }) => {
    expect(refusal(() => parseYaml(text)).what).toContain("exceeded max depth of 500");
  });

  test("nesting of 500 is read", () => {
    expect(parseYaml(`${"[".repeat(500)}${"]".repeat(500)}`)).toHaveLength(1);
  });
});

describe("exact numbers", () => {
  test("integers keep their digits, and floats that are whole numbers stay floats", () => {
    const text = "{i: 1, f: 1.0, e: 1e21, s: 1e-7, neg: -0.0, big: 12345678901234567890, t: true}";
    const [document] = parseExactYamlDocuments(text);
    expect(document?.value).toEqual({
      i: 1,
      f: new WholeFloat(1),
      e: new WholeFloat(1e21),
      s: 1e-7,
      neg: new WholeFloat(-0),
      big: 12345678901234567890n,
      t: true,
    });
  });

  test("parseYamlDocuments rounds numbers that parseExactYamlDocuments keeps", () => {
    expect(parseYaml("[1.0, 12345678901234567890, 9007199254740993]")).toEqual([
      1, 12345678901234567000, 9007199254740992,
    ]);
  });
});
