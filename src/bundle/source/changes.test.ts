import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "#base";
import type { BundleSource } from "../bundle.ts";
import { directoryTree } from "./directory-tree.ts";
import { openBundleSource } from "./open-bundle-source.ts";
import { product, sampleTree } from "./sample-tree.fixture.ts";
import { TreeSource } from "./tree-source.ts";

/** Follows a source as a server does: loads after every change, and reads only the changed directories. */
function follow(source: BundleSource) {
  const stop = new AbortController();
  const changes = source.changes?.(stop.signal)[Symbol.asyncIterator]();
  return {
    /** The paths of the data files after the next change. */
    async next(): Promise<string[]> {
      const change = await changes?.next();
      const bundle = await source.load(stop.signal, change?.value ?? undefined);
      return [...bundle.datafiles.keys()];
    },
    /** Loads after every change until there are `count` data files. */
    async until(count: number): Promise<string[]> {
      for (;;) {
        const paths = await this.next();
        if (paths.length === count) return paths;
      }
    },
    async hasEnded(): Promise<boolean> {
      return (await changes?.next())?.done === true;
    },
    stop: () => stop.abort(),
    [Symbol.dispose]: () => stop.abort(),
  };
}

describe("a watched directory", () => {
  test("yields once at the start, so that no change before the watch is missed", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a") });
    using following = follow(openBundleSource(tree.path));
    expect(await following.next()).toEqual(["/a.yml"]);
  });

  test("reports files that are created and deleted, in existing and new folders", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a") });
    using following = follow(openBundleSource(tree.path));
    await following.next();
    await tree.write({ "data/deep/er/b.yml": product("b") });
    expect(await following.until(2)).toEqual(["/a.yml", "/deep/er/b.yml"]);
    await tree.write({ "data/deep/er/c.yml": product("c") });
    expect(await following.until(3)).toEqual(["/a.yml", "/deep/er/b.yml", "/deep/er/c.yml"]);
    await rm(join(tree.path, "data/deep"), { recursive: true });
    expect(await following.until(1)).toEqual(["/a.yml"]);
  });

  test("keeps a change that happens during a load", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a") });
    const source = openBundleSource(tree.path);
    using following = follow(source);
    await following.next();
    await tree.write({ "data/b.yml": product("b") });
    const loading = following.next();
    await tree.write({ "data/c.yml": product("c") });
    const seen = await loading;
    const all = seen.length === 3 ? seen : await following.until(3);
    expect(all).toEqual(["/a.yml", "/b.yml", "/c.yml"]);
    await tree.write({ "data/d.yml": product("d") });
    expect(await following.until(4)).toEqual(["/a.yml", "/b.yml", "/c.yml", "/d.yml"]);
  });

  test("joins many changes into a few", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a") });
    using following = follow(openBundleSource(tree.path));
    await following.next();
    const names = Array.from({ length: 300 }, (_, index) => `data/many/${index}.yml`);
    await tree.write(Object.fromEntries(names.map((name) => [name, product("x")])));
    let rounds = 1;
    while ((await following.next()).length < 301) rounds++;
    expect(rounds).toBeLessThan(50);
  });

  test("follows a root link that is pointed to another directory", async () => {
    await using tree = await sampleTree({ "one/data/a.yml": product("a"), "two/data/b.yml": product("b") });
    await symlink("one", join(tree.path, "current"));
    using following = follow(openBundleSource(join(tree.path, "current")));
    expect(await following.next()).toEqual(["/a.yml"]);
    await symlink("two", join(tree.path, "next"));
    await rename(join(tree.path, "next"), join(tree.path, "current"));
    expect(await following.until(1)).toEqual(["/b.yml"]);
    await tree.write({ "two/data/c.yml": product("c") });
    expect(await following.until(2)).toEqual(["/b.yml", "/c.yml"]);
  });

  test("reads a link again although its own folder did not change", async () => {
    await using tree = await sampleTree({ "data/here/a.yml": product("a"), "data/there/b.yml": product("one") });
    await symlink("../there/b.yml", join(tree.path, "data/here/link.yml"));
    const source = openBundleSource(tree.path);
    const stop = new AbortController();
    const changes = source.changes?.(stop.signal)[Symbol.asyncIterator]();
    await source.load(stop.signal, (await changes?.next())?.value);
    await tree.write({ "data/there/b.yml": product("two") });
    const bundle = await source.load(stop.signal, (await changes?.next())?.value);
    expect(bundle.datafiles.get("/here/link.yml")?.content["name"]).toBe("two");
    stop.abort();
  });

  test("ends when its signal aborts", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a") });
    using following = follow(openBundleSource(tree.path));
    await following.next();
    following.stop();
    expect(await following.hasEnded()).toBe(true);
  });

  test("reads only the changed directories, and takes the rest as unchanged", async () => {
    await using tree = await sampleTree({ "data/one/a.yml": product("a"), "data/two/b.yml": product("b") });
    // Recent files are always read again; by this clock they are old.
    const clock = { ...systemClock, now: () => Date.now() + 3_600_000 };
    const source = new TreeSource(directoryTree(tree.path, clock));
    const { signal } = new AbortController();
    await source.load(signal);
    await tree.write({ "data/one/c.yml": product("c"), "data/two/d.yml": product("d") });
    await mkdir(join(tree.path, "data/three"));
    const partly = await source.load(signal, [new Set(["data/one"])]);
    expect([...partly.datafiles.keys()]).toEqual(["/one/a.yml", "/one/c.yml", "/two/b.yml"]);
    const wholly = await source.load(signal, ["everything"]);
    expect([...wholly.datafiles.keys()]).toEqual(["/one/a.yml", "/one/c.yml", "/two/b.yml", "/two/d.yml"]);
  });
});
