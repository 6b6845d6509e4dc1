import { execFile } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { buildImage } from "./build-image.ts";
import { gitLayer, nodePath, nodeRuntimeLayer } from "./layer-entries.ts";
import { programEntries } from "./program-entries.ts";
import { writeImageArchive } from "./write-image-archive.ts";

const run = promisify(execFile);

test("programEntries includes every library that ldd lists for a program", async () => {
  const entries = await programEntries([process.execPath, "/usr/bin/git"]);
  const { stdout } = await run("ldd", [process.execPath, "/usr/bin/git"]);
  const found = [...stdout.matchAll(/^\t(\S+)(?: => (\S+))? \(/gm)].map(([, name = "", path = name]) => path);
  // The vdso comes from the kernel and has no path.
  const libraries = found.filter((path) => path.startsWith("/"));
  expect(libraries.length).toBeGreaterThan(5);
  expect(entries.map(({ path }) => path)).toEqual(expect.arrayContaining(libraries));
});

test("the layer of git has what fetches by https and what signs commits, and repeats no file of the layer below", async () => {
  const below = await nodeRuntimeLayer();
  const paths = (await gitLayer(below)).entries.map(({ path }) => path);
  const programs = ["/usr/bin/git", "/usr/lib/git-core/git-remote-http", "/usr/lib/git-core/git-remote-https"];
  expect(paths).toEqual(expect.arrayContaining([...programs, "/usr/bin/ssh-keygen"]));
  expect(below.entries.filter(({ path }) => paths.includes(path))).toEqual([]);
});

test("tar can read an image archive, and its blobs match their digests", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-oci-"));
  const image = await buildImage({
    name: "sample:1",
    layers: [await nodeRuntimeLayer()],
    entrypoint: [nodePath],
    compression: "none",
  });
  const archive = join(directory.path, "image.tar");
  await writeImageArchive([image], archive);
  await run("tar", ["xf", archive, "-C", directory.path]);
  const { stdout: sums } = await run("sh", ["-c", "cd blobs/sha256 && sha256sum *"], { cwd: directory.path });
  for (const line of sums.trim().split("\n")) expect(line).toMatch(/^([0-9a-f]{64}) {2}\1$/);
  const [layer] = image.layers;
  const blob = join(directory.path, "blobs", layer?.digest.replace(":", "/") ?? "");
  const { stdout } = await run("tar", ["tvf", blob]);
  expect(stdout).toMatch(/^-rwxr-xr-x 0\/0 .* usr\/local\/bin\/node$/m);
  expect(stdout).toMatch(/^drwxrwxrwt 0\/0 .* tmp\/$/m);
});
