import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { Secret } from "#base";
import { FakeShell } from "../fake-shell.fixture.ts";
import { outputFormats } from "../shared-options.ts";
import { printRows } from "./print-rows.ts";

const data = {
  rows: [{ zone: "b", name: "one", size: 1, note: undefined, isOn: "yes" }],
  columns: [{ header: "name", value: ({ name }: { name: string }) => name }],
  whenEmpty: "there is none",
};

describe("printRows", () => {
  test("rows in JSON keep the order of the keys and end in a newline", async () => {
    const shell = new FakeShell();
    await printRows(data, "json", shell);
    expect(shell.stdout.text).toBe(
      '[\n  {\n    "zone": "b",\n    "name": "one",\n    "size": 1,\n    "isOn": "yes"\n  }\n]\n',
    );
  });

  test("rows in YAML mean the same in YAML 1.1 and 1.2", async () => {
    const shell = new FakeShell();
    await printRows(data, "yaml", shell);
    expect(load(shell.stdout.text)).toEqual([{ zone: "b", name: "one", size: 1, isOn: "yes" }]);
    expect(shell.stdout.text).toBe('- zone: b\n  name: one\n  size: 1\n  isOn: "yes"\n');
  });

  test("no rows are an empty list in JSON, and a sentence on standard error instead of a table", async () => {
    const outputs = outputFormats.map(async (format) => {
      const shell = new FakeShell();
      await printRows({ ...data, rows: [] }, format, shell);
      return [format, shell.stdout.text, shell.stderr.text];
    });
    expect(await Promise.all(outputs)).toEqual([
      ["table", "", "there is none\n"],
      ["json", "[]\n", ""],
      ["yaml", "[]\n", ""],
      ["markdown", "| name |\n| --- |\n", ""],
    ]);
  });

  test.for(outputFormats)("%s masks known secrets", async (format) => {
    const secret = new Secret('very"secret');
    const shell = new FakeShell();
    const rows = [{ name: `password ${secret.reveal()}`, secret }];
    await printRows({ ...data, rows }, format, shell);
    expect(shell.stdout.text).toContain("***".replaceAll("*", format === "markdown" ? "\\*" : "*"));
    expect(shell.stdout.text).not.toMatch(/very/);
  });

  test("cells are cut only for a terminal of known width", async () => {
    const rows = [{ name: "n".repeat(200) }];
    const [terminal, sizeless, pipe] = [new FakeShell({ columns: 40 }), new FakeShell({ columns: 0 }), new FakeShell()];
    for (const shell of [terminal, sizeless, pipe]) await printRows({ ...data, rows }, "table", shell);
    expect(terminal.stdout.text).toBe(`NAME\n${"n".repeat(39)}…\n`);
    expect(sizeless.stdout.text).toBe(pipe.stdout.text);
    expect(pipe.stdout.text).toBe(`NAME\n${"n".repeat(200)}\n`);
  });
});
