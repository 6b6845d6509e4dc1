import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "./commands.ts";
import { FakeShell } from "./fake-shell.fixture.ts";
import type { LazyCommand } from "./lazy-command.ts";
import { createProgram } from "./create-program.ts";
import { runCommandLine } from "./run-command-line.ts";

/** Every command and subcommand, loaded. */
async function allCommands(program: LazyCommand): Promise<LazyCommand[]> {
  const children = await Promise.all(program.commands.map((command) => program.find(command.name())));
  const found = children.filter((command) => command !== undefined);
  return [...found, ...(await Promise.all(found.map(allCommands))).flat()];
}

const all = await allCommands(createProgram(new FakeShell()));

describe.for(all.map((command) => command.path))("%s", (path) => {
  test("explains itself, with examples", async () => {
    const shell = new FakeShell();
    const [, ...words] = path.split(" ");
    expect(await runCommandLine([...words, "--help"], shell)).toBe(0);
    expect(shell.stdout.text).toMatch(new RegExp(`^Usage: ${path} `));
    expect(shell.stdout.text.split("\n\n")[1]).toMatch(/^[A-Z][^]*\.$/);
    expect(shell.stdout.text).toContain("\nExamples:\n");
  });

  test("has help that fits a terminal of 80 columns, but for lines to type that are longer", async () => {
    const shell = new FakeShell({ columns: 80 });
    const [, ...words] = path.split(" ");
    await runCommandLine([...words, "--help"], shell);
    const wide = shell.stdout.text.split("\n").filter((line) => line.length > 80);
    expect(wide.filter((line) => !/^ {2}(?!# ).*\btenon /.test(line))).toEqual([]);
    expect(shell.stdout.text).not.toMatch(/\(default: (false|none|\[\])\)/);
  });

  test("has examples that it understands", async () => {
    const shell = new FakeShell({ columns: 1000 });
    const [, ...words] = path.split(" ");
    await runCommandLine([...words, "--help"], shell);
    const lines = shell.stdout.text.split("\nExamples:\n")[1]?.trimEnd().split("\n") ?? [];
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const [, example = `no call of tenon in ${line}`] = /\btenon ([^)|]*?)(\)| \||  |$)/.exec(line) ?? [];
      await parseWithoutActing(example.split(" "));
    }
  });
});

/** Rejects when the words are not understood. */
async function parseWithoutActing(words: readonly string[]): Promise<void> {
  const program = createProgram(new FakeShell());
  for (const command of await allCommands(program)) {
    if (command.commands.length === 0) command.action(() => {});
  }
  await program.parseAsync(words, { from: "user" });
}

test("the table lists every function that declares a command, once", async () => {
  const directory = import.meta.dirname;
  const files = (await readdir(directory, { recursive: true })).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const sources = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  const pattern = /(?<=^export function )\w+Command(?=\(command: )/gm;
  const declared = sources.flatMap((source) => source.match(pattern) ?? []);
  const loaded = await Promise.all(commands.map(({ load }) => load()));
  expect(loaded.map(({ name }) => name).toSorted()).toEqual(declared.toSorted());
});

test("hidden commands are not advertised", async () => {
  const shell = new FakeShell();
  await runCommandLine(["--help"], shell);
  expect(shell.stdout.text).not.toContain("__complete");
  for (const { name, summary } of commands.filter(({ hidden }) => !hidden)) {
    expect(shell.stdout.text).toMatch(new RegExp(`\n  ${name} +${summary}\n`));
  }
});
