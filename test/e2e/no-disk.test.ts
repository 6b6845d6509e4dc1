import { execFile } from "node:child_process";
import { mkdir, mkdtemp, mkdtempDisposable, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { valueAt } from "#base";
import { clusterHome } from "#cluster";

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

/** The command that a message names, with a directory of ours where it leaves the choice, and then a start, as a person types them. */
async function followAdvice(message: string, directory: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [, named = ""] = /`(export [^`]+)`/.exec(message) ?? [];
  const command = named.replaceAll(/DIRECTORY|\/var\/tmp\/tenon/g, directory);
  const typed = [command, `${tenon} cluster start`, `${tenon} cluster status -o json`, `${tenon} cluster stop`].join(
    " && ",
  );
  return (await run("bash", ["-c", typed], { env })).stdout;
}

/** What the start says instead of starting. */
async function refusalOf(env: NodeJS.ProcessEnv): Promise<string> {
  const refused: unknown = await run(tenon, ["cluster", "start"], { env }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 1 });
  return String(valueAt(refused, ["stderr"]));
}

test("with a data directory on a full disk, the start says how much space is needed, leaves no instance, and works as it advises", async () => {
  const env = { ...process.env, XDG_DATA_HOME: disk };
  const message = await refusalOf(env);
  expect(message).toMatch(/has \d+ MB free, and a cluster needs 300 MB/);
  expect((await readdir(join(disk, "tenon", "clusters", "default"))).toSorted()).toEqual(["lock", "log"]);
  await using elsewhere = await mkdtempDisposable(join(tmpdir(), "tenon-larger-"));
  expect(await followAdvice(message, elsewhere.path, env)).toContain('"state": "running"');
});

test("with a build cache on a full disk, the start says so before it compiles anything", async () => {
  const env = { ...process.env, XDG_CACHE_HOME: join(disk, "cache"), XDG_DATA_HOME: disk, GOCACHE: join(disk, "go") };
  expect(await refusalOf(env)).toMatch(
    /go has 0\.\d GB free, but the build needs \d\.\d GB there[^]*`export GOCACHE=DIRECTORY\/build/,
  );
});

test("with a home that is read-only, the start says so before it compiles anything, and works as it advises", async () => {
  await run("mount", ["-o", "remount,ro", disk]);
  const { XDG_CACHE_HOME: _cache, XDG_DATA_HOME: _data, ...others } = process.env;
  const env = { ...others, HOME: disk };
  const message = await refusalOf(env);
  expect(message).toContain(`cannot write to ${disk}/.cache/tenon/cluster: the file system is read-only`);
  await using elsewhere = await mkdtempDisposable(join(tmpdir(), "tenon-writable-"));
  // What is built already is not built again for the test.
  await mkdir(join(elsewhere.path, "tenon"));
  await symlink(clusterHome().cache, join(elsewhere.path, "tenon", "cluster"));
  expect(await followAdvice(message, elsewhere.path, env)).toContain('"state": "running"');
});
