import { chmod, mkdir, mkdtempDisposable, readdir, readlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linkPrograms } from "./link-programs.ts";

async function machine(programs: readonly string[]) {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-path-"));
  const bin = join(directory.path, "usr-bin");
  await mkdir(bin);
  for (const program of programs) {
    await writeFile(join(bin, program), "");
    await chmod(join(bin, program), 0o755);
  }
  const env = { XDG_CACHE_HOME: directory.path, PATH: bin };
  const folder = join(directory.path, "tenon", "bin");
  return { bin, env, folder, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

test("from a checkout, Tenon and the kubectl of the cluster are in one folder that can be put on the PATH", async () => {
  await using here = await machine([]);
  expect(await linkPrograms({ ...here.env, TENON_CALLED_AS: "./bin/tenon" })).toBe(here.folder);
  expect((await readdir(here.folder)).toSorted()).toEqual(["kubectl", "tenon"]);
  expect(await readlink(join(here.folder, "tenon"))).toBe(join(process.cwd(), "bin", "tenon"));
  expect(await readlink(join(here.folder, "kubectl"))).toMatch(/\/tenon\/cluster\/[0-9a-f]{20}\/kubectl$/);
});

test("a kubectl of the user's own is not hidden", async () => {
  await using here = await machine(["kubectl"]);
  expect(await linkPrograms({ ...here.env, TENON_CALLED_AS: "./bin/tenon" })).toBe(here.folder);
  expect(await readdir(here.folder)).toEqual(["tenon"]);
});

test("nothing is to be added to a PATH that has both programs, or the folder", async () => {
  await using here = await machine(["kubectl", "tenon"]);
  expect(await linkPrograms({ ...here.env, TENON_CALLED_AS: join(here.bin, "tenon") })).toBeUndefined();
  const PATH = `${here.folder}:/nowhere`;
  expect(await linkPrograms({ ...here.env, PATH, TENON_CALLED_AS: join(here.folder, "tenon") })).toBeUndefined();
});
