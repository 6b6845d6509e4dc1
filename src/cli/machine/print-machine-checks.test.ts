import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

/** A machine with an empty PATH, and a file in place of the data directory. */
async function makeBrokenMachine() {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
  const file = join(directory.path, "file");
  await writeFile(file, "");
  const env = { PATH: directory.path, XDG_CACHE_HOME: directory.path, XDG_DATA_HOME: file };
  return { file, env, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

describe("tenon doctor", () => {
  test("`tenon doctor` prints a table, uncut next steps below it, and fails when a check fails", async () => {
    await using machine = await makeBrokenMachine();
    const shell = new FakeShell({ env: { ...machine.env, NO_COLOR: "1" }, columns: 60 });
    expect(await runCommandLine(["doctor"], shell)).toBe(1);
    const [table = "", steps = ""] = shell.stdout.text.split("\n\nNext steps:\n");
    expect(table).toMatch(/^CHECK +STATE +DETAIL\n/);
    expect(table).toMatch(/\ngit +warn +not on the PATH/);
    expect(table).toMatch(/\ndata directory +fail +\S+.*…\n/);
    expect(steps).toContain("make it writable, or set XDG_DATA_HOME to another directory\n");
    expect(shell.stderr.text).toMatch(/^error: \d+ of \d+ checks failed: .*data directory/);
  });

  test("`tenon doctor` shows paths whole in 80 columns, and as they are in JSON", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
    const home = join(directory.path, "a-home-with-a-long-name", "and-more-of-it");
    await mkdir(home, { recursive: true });
    const shown = async (words: readonly string[]) => {
      const folders = {
        HOME: home,
        XDG_CACHE_HOME: join(home, ".cache"),
        XDG_DATA_HOME: join(home, ".local", "share"),
      };
      const shell = new FakeShell({ env: { ...folders, NO_COLOR: "1" }, columns: 80 });
      await runCommandLine(words, shell);
      return shell.stdout.text;
    };
    expect(await shown(["doctor"])).toMatch(/\ndata directory +ok +~\/\.local\/share\/tenon\/clusters, \S+ GB free\n/);
    expect(await shown(["doctor", "-o", "json"])).toContain(`"${home}/.local/share/tenon/clusters, `);
  });

  test("`tenon doctor -o json` prints checks with their next steps, and fails when a check fails", async () => {
    await using machine = await makeBrokenMachine();
    const shell = new FakeShell(machine);
    expect(await runCommandLine(["doctor", "-o", "json"], shell)).toBe(1);
    expect(JSON.parse(shell.stdout.text)).toContainEqual({
      check: "data directory",
      state: "fail",
      detail: expect.stringContaining(`${machine.file} is not a directory`),
      next: expect.stringContaining("XDG_DATA_HOME"),
    });
  });
});
