import { mkdtempDisposable, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { fetchRef } from "./fetch-ref.ts";
import { listFiles } from "./repository.ts";
import { sampleRepository } from "./sample-repository.fixture.ts";

const { signal } = new AbortController();
const makeCache = () => mkdtempDisposable(join(tmpdir(), "tenon-git-cache-"));

describe("fetchRef fetches a commit", () => {
  test("by branch, tag or hash, also one that is not the tip of a branch", async () => {
    await using cache = await makeCache();
    await using repository = await sampleRepository();
    const first = await repository.commit({ a: "1" });
    repository.git("tag", "v1");
    const second = await repository.commit({ a: "2" });
    const address = `file://${repository.path}`;
    for (const [ref, hash] of [
      ["main", second],
      ["HEAD", second],
      ["v1", first],
      [first, first],
      ["main", second],
    ] as const) {
      await using fetched = await fetchRef({ repository: address, ref }, cache.path, signal);
      expect(fetched.commit).toEqual({ hash, timestamp: "1763200000" });
      expect(await listFiles(fetched.directory, hash, "", signal)).toHaveLength(1);
    }
    expect(await readdir(cache.path)).toHaveLength(1);
  });

  test("again after the branch moved, even backwards", async () => {
    await using cache = await makeCache();
    await using repository = await sampleRepository();
    const location = { repository: `file://${repository.path}`, ref: "main" };
    const first = await repository.commit({ a: "1" });
    await repository.commit({ a: "2" });
    await fetchRef(location, cache.path, signal);
    repository.git("reset", "--quiet", "--hard", first);
    expect((await fetchRef(location, cache.path, signal)).commit.hash).toBe(first);
  });

  test("despite a stale lock, into a temporary copy", async () => {
    await using cache = await makeCache();
    await using repository = await sampleRepository();
    const location = { repository: `file://${repository.path}`, ref: "main" };
    await repository.commit({ a: "1" });
    const { directory } = await fetchRef(location, cache.path, signal);
    await writeFile(join(directory, "shallow.lock"), "");
    const hash = await repository.commit({ a: "2" });
    {
      await using fetched = await fetchRef(location, cache.path, signal);
      expect(fetched.commit.hash).toBe(hash);
      expect(fetched.directory).not.toBe(directory);
    }
    expect(await readdir(cache.path)).toHaveLength(1);
  });

  test("for several callers at once", async () => {
    await using cache = await makeCache();
    await using repository = await sampleRepository();
    const location = { repository: `file://${repository.path}`, ref: "main" };
    const hash = await repository.commit({ a: "1" });
    const fetched = await Promise.all([1, 2, 3, 4].map(() => fetchRef(location, cache.path, signal)));
    expect(fetched.map(({ commit }) => commit.hash)).toEqual([hash, hash, hash, hash]);
    for (const one of fetched) await one[Symbol.asyncDispose]();
  });
});

describe("fetchRef explains", () => {
  test("a branch that does not exist, and lists those that do", async () => {
    await using cache = await makeCache();
    await using repository = await sampleRepository();
    await repository.commit({ a: "1" });
    repository.git("tag", "v1");
    const location = { repository: `file://${repository.path}`, ref: "mian" };
    await expect(fetchRef(location, cache.path, signal)).rejects.toThrow(
      /branch, tag or commit mian not found; the repository has main, v1$/,
    );
  });

  test("a repository that does not exist", async () => {
    await using cache = await makeCache();
    const fetching = fetchRef({ repository: "file:///nowhere/at/all", ref: "main" }, cache.path, signal);
    await expect(fetching).rejects.toThrow(InputError);
    await expect(fetching).rejects.toThrow("repository not found, or access denied");
  });
});
