import { mkdtempDisposable, readdir, rename, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { desiredFolder, publishedCode } from "./desired-folder.ts";

test("what is kept is found again, by its owner alone", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-kept-"));
  const folder = join(directory.path, "desired");
  const store = desiredFolder(folder, "code");
  expect(store.find("key")).toBeUndefined();
  store.keep("key", "text");
  expect(desiredFolder(folder, "code").find("key")).toBe("text");
  const modes = await Promise.all(
    [folder, join(folder, "key.json")].map(async (path) => (await stat(path)).mode & 0o777),
  );
  expect(modes).toEqual([0o700, 0o600]);
});

test("where there is no folder to keep it in, nothing is kept and nothing fails", () => {
  const store = desiredFolder("/proc/nowhere/desired", "code");
  store.keep("key", "text");
  expect(store.find("key")).toBeUndefined();
});

test("above the limit, the oldest are deleted until half is left", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-kept-"));
  for (const [age, name] of ["new.json", "middle.json", "old.json"].entries()) {
    const path = join(directory.path, name);
    await writeFile(path, "x".repeat(40));
    await utimes(path, 1000 - age, 1000 - age);
  }
  desiredFolder(directory.path, "code", 100).keep("key", "text");
  expect(new Set(await readdir(directory.path))).toEqual(new Set(["key.json", "new.json"]));
});

test("published code has another name when any file of it has, also one that is loaded only when needed", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-code-"));
  const at = (name: string): string => join(directory.path, name);
  for (const name of ["kept-AAAAAAAA.cjs", "compute-BBBBBBBB.cjs"]) await writeFile(at(name), "");
  const nameNow = () => publishedCode(pathToFileURL(at("kept-AAAAAAAA.cjs")).href);
  const before = nameNow();
  expect(nameNow()).toBe(before);
  await rename(at("compute-BBBBBBBB.cjs"), at("compute-CCCCCCCC.cjs"));
  expect(before).toEqual(expect.stringContaining(process.version));
  expect(nameNow()).not.toBe(before);
});

test("code of a checkout has no name, so that nothing of it is kept", () => {
  expect(publishedCode()).toBeUndefined();
});
