import { readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sampleRepository } from "../../git/sample-repository.fixture.ts";
import { openBundleSource } from "./open-bundle-source.ts";
import { product, sampleTree } from "./sample-tree.fixture.ts";

const { signal } = new AbortController();

/** A repository with these files in its first commit, and a cache. */
async function repositoryOf(files: Readonly<Record<string, string>>) {
  const repository = await sampleRepository();
  const cache = await sampleTree();
  await repository.commit(files);
  return {
    ...repository,
    env: { XDG_CACHE_HOME: cache.path },
    async [Symbol.asyncDispose]() {
      await repository[Symbol.asyncDispose]();
      await cache[Symbol.asyncDispose]();
    },
  };
}

describe("a git source", () => {
  test.each([
    { how: "a local repository", prefix: "" },
    { how: "a remote repository", prefix: "file://" },
  ])("reads the commit of $how, not the checked out files", async ({ prefix }) => {
    await using tree = await repositoryOf({ "data/a.yml": product("a"), "resources/r": "r", "notes.yml": "[" });
    const hash = tree.git("rev-parse", "HEAD");
    await writeFile(join(tree.path, "data/a.yml"), product("not committed"));
    const bundle = await openBundleSource(`${prefix}${tree.path}#main`, { env: tree.env }).load(signal);
    expect(Array.from(bundle.datafiles.values(), ({ path, content }) => [path, content["name"]])).toEqual([
      ["/a.yml", "a"],
    ]);
    expect([...bundle.resources.keys()]).toEqual(["/r"]);
    expect([bundle.gitCommit, bundle.gitCommitTimestamp]).toEqual([hash, "1763200000"]);
  });

  test("has the same identity as the same files in a directory", async () => {
    await using tree = await repositoryOf({
      "data/b/c.yml": product("c"),
      "data/b.yml": product("b"),
      "resources/r": "r",
    });
    const committed = await openBundleSource(`${tree.path}#main`).load(signal);
    const checkedOut = await openBundleSource(tree.path).load(signal);
    expect(committed.identity).toBe(checkedOut.identity);
    expect(checkedOut.gitCommit).toBe(committed.gitCommit);
  });

  test("reads a folder of the repository, given after the ref or before it", async () => {
    await using tree = await repositoryOf({ "some/where/data/a.yml": product("a"), "data/b.yml": product("b") });
    for (const location of [`${tree.path}#main:some/where`, `${join(tree.path, "some/where")}#main`]) {
      expect([...(await openBundleSource(location).load(signal)).datafiles.keys()]).toEqual(["/a.yml"]);
    }
  });

  test("parses only the files that a new commit changed", async () => {
    await using tree = await repositoryOf({ "data/a.yml": product("a"), "data/b.yml": product("b") });
    const source = openBundleSource(`file://${tree.path}#main`, { env: tree.env });
    const before = await source.load(signal);
    expect(await source.load(signal)).toBe(before);
    const hash = await tree.commit({ "data/b.yml": product("changed") });
    const after = await source.load(signal);
    expect(after.gitCommit).toBe(hash);
    expect(after.datafiles.get("/a.yml")).toBe(before.datafiles.get("/a.yml"));
    expect(after.datafiles.get("/b.yml")?.content["name"]).toBe("changed");
  });

  test("loads even when the cached copy is locked", async () => {
    await using tree = await repositoryOf({ "data/a.yml": product("a") });
    const location = `file://${tree.path}#main`;
    await openBundleSource(location, { env: tree.env }).load(signal);
    const cache = join(tree.env.XDG_CACHE_HOME, "tenon/git");
    const [copy = ""] = await readdir(cache);
    await writeFile(join(cache, copy, "shallow.lock"), "");
    await tree.commit({ "data/b.yml": product("b") });
    const bundle = await openBundleSource(location, { env: tree.env }).load(signal);
    expect([...bundle.datafiles.keys()]).toEqual(["/a.yml", "/b.yml"]);
    expect(await readdir(cache)).toEqual([copy]);
  });

  test("follows links inside the data, and rejects others", async () => {
    await using tree = await repositoryOf({ "data/a.yml": product("a") });
    await symlink("a.yml", join(tree.path, "data/b.yml"));
    await tree.commit({});
    const source = openBundleSource(`${tree.path}#main`);
    expect([...(await source.load(signal)).datafiles.keys()]).toEqual(["/a.yml", "/b.yml"]);
    await symlink("/etc/passwd", join(tree.path, "data/c.yml"));
    await tree.commit({});
    await expect(openBundleSource(`${tree.path}#main`).load(signal)).rejects.toThrow(
      /#main:data\/c\.yml: symbolic link does not point to a data file/,
    );
  });

  test("names a broken file by commit and path", async () => {
    await using tree = await repositoryOf({ "sub/data/a.yml": "a: [" });
    await expect(openBundleSource(`${tree.path}#main:sub`).load(signal)).rejects.toThrow(
      `${tree.path}#main:sub/data/a.yml:1:`,
    );
  });

  test("rejects an unknown branch, and a directory outside of a repository", async () => {
    await using tree = await repositoryOf({ "data/a.yml": product("a") });
    await expect(openBundleSource(`${tree.path}#mian`).load(signal)).rejects.toThrow(
      "branch, tag or commit mian not found; the repository has main",
    );
    await expect(openBundleSource("/#main").load(signal)).rejects.toThrow("not in a git repository");
  });
});
