import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

const run = promisify(execFile);
const tenon = join(import.meta.dirname, "..", "..", "bin", "tenon");
let disk: string;

/** A disk of 64 MB of its own. */
beforeEach(async () => {
  disk = await mkdtemp(join(tmpdir(), "tenon-disk-"));
  await run("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk]);
});

afterEach(async () => {
  await run("umount", [disk]);
  await rm(disk, { recursive: true });
});

test("with a data directory on a full disk, the start says how much space is needed and what to do, and leaves no instance", async () => {
  const started = run(tenon, ["cluster", "start"], { env: { ...process.env, XDG_DATA_HOME: disk } });
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/has \d+ MB free, and a cluster needs 300 MB[^]*XDG_DATA_HOME/),
  });
  expect((await readdir(join(disk, "tenon", "clusters", "default"))).toSorted()).toEqual(["lock", "log"]);
});

test("with a build cache on a full disk, the start says so before it compiles anything", async () => {
  const env = { ...process.env, XDG_CACHE_HOME: join(disk, "cache"), XDG_DATA_HOME: disk, GOCACHE: join(disk, "go") };
  await expect(run(tenon, ["cluster", "start"], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/go has 0\.\d GB free, but the build needs \d\.\d GB there[^]*GOCACHE/),
  });
});
