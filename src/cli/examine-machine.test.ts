import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeShell } from "./fake-shell.ts";
import { run } from "./run.ts";

/** A machine with no program on its PATH and a file where the data should go. */
async function makeBrokenMachine() {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
  const file = join(directory.path, "file");
  await writeFile(file, "");
  const env = { PATH: directory.path, XDG_CACHE_HOME: directory.path, XDG_DATA_HOME: file };
  return { file, env, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

describe("tenon doctor", () => {
  test("prints a table, the next steps uncut below it, and fails when a check does", async () => {
    await using machine = await makeBrokenMachine();
    const shell = new FakeShell({ env: { ...machine.env, NO_COLOR: "1" }, columns: 60 });
    expect(await run(["doctor"], shell)).toBe(1);
    const [table = "", steps = ""] = shell.stdout.text.split("\n\nNext steps:\n");
    expect(table).toMatch(/^CHECK +STATE +DETAIL\n/);
    expect(table).toMatch(/\ngit +warn +not on the PATH/);
    expect(table).toMatch(/\ndata directory +fail +\S+.*…\n/);
    expect(steps).toContain("make it writable, or set XDG_DATA_HOME to another directory\n");
    expect(shell.stderr.text).toMatch(/^error: \d+ of \d+ checks failed: .*data directory/);
  });

  test("prints checks with their next steps for programs, and the failure beside them", async () => {
    await using machine = await makeBrokenMachine();
    const shell = new FakeShell(machine);
    expect(await run(["doctor", "-o", "json"], shell)).toBe(1);
    expect(JSON.parse(shell.stdout.text)).toContainEqual({
      check: "data directory",
      state: "fail",
      detail: expect.stringContaining(`${machine.file} is no directory`),
      next: expect.stringContaining("XDG_DATA_HOME"),
    });
  });
});
