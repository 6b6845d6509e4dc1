import { chmod, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireWritable } from "./require-writable.ts";

test("a home that cannot be written is refused with the command that chooses another", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-home-"));
  const file = join(directory.path, "file");
  await writeFile(file, "");
  await chmod(file, 0o400);
  for (const home of [
    { cache: join(file, "cache"), data: directory.path },
    { cache: directory.path, data: join(file, "data") },
  ]) {
    await expect(requireWritable(home)).rejects.toMatchObject({
      what: expect.stringMatching(/^cannot write to .*\/file\/(cache|data): a part of the path is a file$/),
      next: expect.stringContaining("`export XDG_CACHE_HOME=/var/tmp/tenon XDG_DATA_HOME=/var/tmp/tenon GOPATH="),
    });
  }
});

test("directories of a home that do not exist are made", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-home-"));
  const home = { cache: join(directory.path, "a", "cache"), data: join(directory.path, "b", "data") };
  await expect(requireWritable(home)).resolves.toBeUndefined();
});
