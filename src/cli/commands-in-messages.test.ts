import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProgram } from "./create-program.ts";
import { FakeShell } from "./fake-shell.fixture.ts";
import type { LazyCommand } from "./lazy-command.ts";

const checkout = join(import.meta.dirname, "..", "..");
const program = createProgram(new FakeShell());

interface NamedCommand {
  readonly file: string;
  readonly words: readonly string[];
}

const tests = /\.(test|fixture)\.ts$|_test\.go$/;
const filledIn = "\u0001";

/** Commands of Tenon between quotes, outside of comments. What a program fills in is marked. */
function namedCommands(file: string, source: string): NamedCommand[] {
  const text = source
    .replaceAll(/^\s*(\*|\/\/|\/\*).*$/gm, "")
    .replaceAll(/\$\{tenon\w*\}/gi, "tenon")
    .replaceAll(/\$\{[^{}]*\}|%[a-z]/g, filledIn);
  return [...text.matchAll(/[`"'](?:sudo )?tenon ([a-z][^`"'|\\\n]*)/g)].map(([, words = ""]) => ({
    file,
    words: words.split(/[.,;:)]*(?:\s+|$)/).filter(Boolean),
  }));
}

/** What of the words is neither a command nor an option of it; undefined if all of them are. */
async function unknownWord(words: readonly string[]): Promise<string | undefined> {
  let command: LazyCommand = program;
  for (const [index, word] of words.entries()) {
    const child = await command.find(word);
    if (!child) {
      if (command.commands.length > 0 && !word.startsWith("-")) return word.includes(filledIn) ? undefined : word;
      const options = new Set(command.options.flatMap(({ long, short }) => [long, short]));
      const given = words.slice(index).filter((each) => each.startsWith("-"));
      return given.find((each) => !options.has(each.replace(/=.*|[.,;:)]+$/g, "")) && each !== "--help");
    }
    command = child;
  }
  return undefined;
}

test("every command of Tenon that a message names exists, with its options", async () => {
  const patterns = ["src/**/*.ts", "cluster/**/*.go"];
  const files = (await Array.fromAsync(glob(patterns, { cwd: checkout }))).filter((file) => !tests.test(file));
  const named = await Promise.all(
    files.map(async (file) => namedCommands(file, await readFile(join(checkout, file), "utf8"))),
  );
  expect(named.flat().length).toBeGreaterThan(200);
  const unknown: string[] = [];
  for (const { file, words } of named.flat()) {
    const word = await unknownWord(words);
    if (word !== undefined) unknown.push(`${file}: tenon ${words.join(" ")}: ${word}`);
  }
  expect(unknown).toEqual([]);
});
