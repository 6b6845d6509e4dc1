import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createProgram } from "../../../src/cli/create-program.ts";
import { FakeShell } from "../../../src/cli/fake-shell.fixture.ts";
import type { LazyCommand } from "../../../src/cli/lazy-command.ts";

/** A sentence for each line that a person could not type: of `tenon`, of `make`, or of a script that `node` runs. */
export async function findMissingLines(checkout: string, lines: readonly string[]): Promise<string[]> {
  const found = await Promise.all(lines.map((line) => findMissingLine(checkout, line)));
  return found.filter((missing) => missing !== undefined);
}

async function findMissingLine(checkout: string, line: string): Promise<string | undefined> {
  const [program, ...words] = line.split(" ");
  if (program === "tenon") return await missingWord(line, words);
  const [first = ""] = words;
  if (program === "make") {
    const makefile = await readFile(join(checkout, "Makefile"), "utf8");
    return makefile.split("\n").some((rule) => rule.startsWith(`${first}:`)) ? undefined : `${line}: target not found`;
  }
  if (program !== "node") return `${line}: expected a line of tenon, make or node`;
  return await access(join(checkout, first)).then(
    () => undefined,
    () => `${line}: ${first} not found`,
  );
}

async function missingWord(line: string, words: readonly string[]): Promise<string | undefined> {
  let command: LazyCommand = createProgram(new FakeShell());
  const rest = [...words];
  for (;;) {
    const next = rest[0] === undefined ? undefined : await command.find(rest[0]);
    if (!next) break;
    command = next;
    rest.shift();
  }
  if (command.commands.length > 0) return `${line}: ${rest[0] ?? "a subcommand"} not found`;
  const options = command.createHelp().visibleOptions(command);
  const unknown = rest.find((word) => word.startsWith("--") && !options.some(({ long }) => long === word));
  return unknown === undefined ? undefined : `${line}: ${unknown} not found`;
}
