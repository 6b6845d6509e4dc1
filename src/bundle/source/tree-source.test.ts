import { execFileSync } from "node:child_process";
import { mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeError, InputError } from "#base";
import type { Bundle } from "../bundle.ts";
import { openBundleSource } from "./open-bundle-source.ts";
import { product, sampleTree } from "./sample-tree.fixture.ts";

const { signal } = new AbortController();

async function load(files: Readonly<Record<string, string | Buffer>>): Promise<Bundle> {
  await using tree = await sampleTree(files);
  return openBundleSource(tree.path).load(signal);
}

/** What is said when it cannot be loaded, with the directory left out. */
async function refusal(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  await using tree = await sampleTree(files);
  const error: unknown = await openBundleSource(tree.path)
    .load(signal)
    .then(
      () => "loaded",
      (reason: unknown) => reason,
    );
  expect(error).toBeInstanceOf(InputError);
  return describeError(error).replaceAll(tree.path, "");
}

describe("the files of a directory", () => {
  test("A-1: data, resources, schemas and the description each have their folder", async () => {
    const bundle = await load({
      "data/a/b.yml": product("b"),
      "resources/c/d.txt": "text",
      "schemas/own-1.yml": "$schema: /metaschema-1.json\n",
      "graphql-schemas/schema.yml": "confs: [{name: Own_v1, fields: []}]\n",
      "other/e.yml": "[",
    });
    expect([...bundle.datafiles.keys()]).toEqual(["/a/b.yml"]);
    expect([...bundle.resources.keys()]).toEqual(["/c/d.txt"]);
    expect(bundle.schemas.get("/own-1.yml")).toEqual({ $schema: "/metaschema-1.json" });
    expect(bundle.types.map(({ name }) => name)).toContain("Own_v1");
  });

  test("a directory without data/ is itself the tree of data files, beside the other folders", async () => {
    const bundle = await load({ "a.yml": product("a"), "b/c.yaml": product("c"), "resources/d.yml": "[" });
    expect([...bundle.datafiles.keys()]).toEqual(["/a.yml", "/b/c.yaml"]);
    expect([...bundle.resources.keys()]).toEqual(["/d.yml"]);
  });

  test("A-2: other extensions and hidden names are skipped", async () => {
    const bundle = await load({
      "data/a.yml": product("a"),
      "data/b.yaml": product("b"),
      "data/c.json": '{"$schema": "app-sre/product-1.yml", "name": "c"}',
      "data/d.txt": "[",
      "data/.e.yml": "[",
      "data/.hidden/f.yml": "[",
      "data/README.md": "[",
    });
    expect(Array.from(bundle.datafiles.values(), ({ path, schema }) => [path, schema])).toEqual([
      ["/a.yml", "/app-sre/product-1.yml"],
      ["/b.yaml", "/app-sre/product-1.yml"],
      ["/c.json", "/app-sre/product-1.yml"],
    ]);
  });

  test("A-3: a resource is kept as it is, and its schema is found by a line of its text", async () => {
    const template = "# a template\n$schema: /own-1.yml\n{{ not yaml\n";
    const bundle = await load({
      "data/a.yml": product("a"),
      "resources/t.yaml": template,
      "resources/t.txt": template,
      "resources/u.yml": "x: 1 # $schema: /own-1.yml\n",
      "resources/.hidden": "",
    });
    expect([...bundle.resources.values()]).toMatchObject([
      { path: "/t.txt", schema: undefined, content: template },
      {
        path: "/t.yaml",
        schema: "/own-1.yml",
        content: template,
        sha256: "3c734e43bd8856cf0d310309c2e44fcf6bf3a141de42c31e3b10842d26b41f19",
      },
      { path: "/u.yml", schema: undefined },
    ]);
  });

  test("A-13: files stand in the order of their paths, whatever the folders", async () => {
    const paths = ["a-b.yml", "a.yml", "a/b.yml", "a/b/c.yml", "a0.yml", "b.yml", "Z.yml"];
    const bundle = await load(Object.fromEntries(paths.map((path) => [`data/${path}`, product("x")])));
    expect([...bundle.datafiles.keys()]).toEqual(paths.map((path) => `/${path}`).toSorted());
  });

  test("A-6: the same files have the same identity, and others another", async () => {
    const files = { "data/a.yml": product("a"), "resources/b.txt": "b" };
    const first = await load(files);
    expect(first.identity).toMatch(/^[0-9a-f]{64}$/);
    expect((await load(files)).identity).toBe(first.identity);
    for (const other of [
      { ...files, "data/a.yml": `${product("a")}# comment\n` },
      { ...files, "data/c.yml": product("c") },
      { "data/b.yml": product("a"), "resources/b.txt": "b" },
      { ...files, "schemas/own-1.yml": "$schema: /metaschema-1.json\n" },
    ]) {
      expect((await load(other)).identity).not.toBe(first.identity);
    }
  });
});

describe("what is refused", () => {
  test.each([
    { reason: "bad UTF-8", file: Buffer.from("$schema: /a\nname: \xff\n", "latin1"), says: "/data/x.yml:2:7: " },
    { reason: "a broken line", file: "a: b\n  c: d\n", says: "/data/x.yml:2:" },
    { reason: "a key that comes twice", file: "a: 1\nb: 2\na: 3\n", says: "/data/x.yml:3:1: " },
    { reason: "an empty file, which is more often an accident", file: "# nothing\n", says: "holds nothing" },
    { reason: "a list", file: "- a\n", says: "/data/x.yml: holds a list, where a data file has fields" },
    { reason: "a second document", file: "a: 1\n---\nb: 2\n", says: "a second document begins" },
  ])("$reason", async ({ file, says }) => {
    expect(await refusal({ "data/x.yml": file })).toContain(says);
  });

  test("broken JSON, by line and column", async () => {
    expect(await refusal({ "data/x.json": '{\n  "a": 1,\n}' })).toMatch(
      /^\/data\/x\.json:3:1: is no valid JSON: .*; correct/,
    );
  });

  test("JSON that is nested too deep for whoever reads it next", async () => {
    const deep = `{"a": ${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
    expect(await refusal({ "data/x.json": deep })).toContain("nested more than 500 levels deep");
  });

  test("a file that grows when it is read", async () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `l${level}: &l${level} [${Array(10)
          .fill(level === 0 ? "x" : `*l${level - 1}`)
          .join(",")}]`,
    );
    expect(await refusal({ "data/x.yml": levels.join("\n") })).toContain("/data/x.yml");
  });

  test("all broken files together, each with its place", async () => {
    const text = await refusal({ "data/a.yml": "a: [", "data/b.yml": product("b"), "data/c.yml": "- c" });
    expect(text).toMatch(/^2 files of the data directory .* cannot be read/);
    expect(text).toMatch(/- \/data\/a\.yml:1:/);
    expect(text).toContain("- /data/c.yml: holds a list");
  });

  test("a directory without data: it is the wrong one more often than it is meant", async () => {
    expect(await refusal({ "notes.txt": "" })).toContain("holds no data files");
  });

  test("no directory at all", () => {
    expect(() => openBundleSource("/nowhere/at/all")).toThrow("there is no such file or directory");
  });

  test("two million characters in one file are no reason", async () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `- a line of a large file, number ${index}`);
    const bundle = await load({ "data/x.yml": `$schema: /x-1.yml\nlist:\n${lines.join("\n")}\n` });
    expect(bundle.datafiles.get("/x.yml")?.content["list"]).toHaveLength(60_000);
  });
});

test("a key may replace one that was merged, and nothing else", async () => {
  const bundle = await load({
    "data/x.yml": "$schema: /x-1.yml\nbase: &base {a: 1, b: 2}\nderived:\n  <<: *base\n  b: 3\n",
  });
  expect(bundle.datafiles.get("/x.yml")?.content["derived"]).toEqual({ a: 1, b: 3 });
});

describe("symbolic links", () => {
  test("to a file inside count as that file, also when the root is one", async () => {
    await using tree = await sampleTree({ "real/data/a.yml": product("a") });
    await symlink("a.yml", join(tree.path, "real/data/b.yml"));
    await symlink("real", join(tree.path, "current"));
    const bundle = await openBundleSource(join(tree.path, "current")).load(signal);
    expect([...bundle.datafiles.keys()]).toEqual(["/a.yml", "/b.yml"]);
  });

  test.each([
    { reason: "out of the directory", target: "../../outside.yml", says: "leads out of the data directory" },
    { reason: "to nothing", target: "gone.yml", says: "leads nowhere" },
    { reason: "to a directory, which may hold itself", target: ".", says: "which is not followed" },
  ])("$reason are refused", async ({ target, says }) => {
    await using tree = await sampleTree({ "outside.yml": product("o"), "root/data/a.yml": product("a") });
    await symlink(target, join(tree.path, "root/data/link.yml"));
    await expect(openBundleSource(join(tree.path, "root")).load(signal)).rejects.toThrow(says);
  });

  test("a pipe is not opened, because nobody may ever write into it", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a") });
    execFileSync("mkfifo", [join(tree.path, "data/pipe.yml")]);
    const bundle = await openBundleSource(tree.path).load(signal);
    expect([...bundle.datafiles.keys()]).toEqual(["/a.yml"]);
  });
});

describe("reading again", () => {
  test("gives the very same bundle when nothing changed", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a") });
    const source = openBundleSource(tree.path);
    expect(await source.load(signal)).toBe(await source.load(signal));
  });

  test("parses only what changed, and keeps the rest as it was", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a"), "data/b.yml": product("b") });
    const source = openBundleSource(tree.path);
    const before = await source.load(signal);
    await tree.write({ "data/b.yml": product("changed") });
    const after = await source.load(signal);
    expect(after.datafiles.get("/a.yml")).toBe(before.datafiles.get("/a.yml"));
    expect(after.datafiles.get("/b.yml")?.content["name"]).toBe("changed");
    expect(before.datafiles.get("/b.yml")?.content["name"]).toBe("b");
    expect([after.schemas, after.types]).toEqual([before.schemas, before.types]);
    expect(after.schemas).toBe(before.schemas);
  });

  test("sees a change that leaves size and time as they were", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("one") });
    const file = join(tree.path, "data/a.yml");
    const time = new Date();
    await utimes(file, time, time);
    const source = openBundleSource(tree.path);
    await source.load(signal);
    await writeFile(file, product("two"));
    await utimes(file, time, time);
    expect((await source.load(signal)).datafiles.get("/a.yml")?.content["name"]).toBe("two");
  });

  test("sees files that come, go and move", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a"), "data/b.yml": product("b") });
    const source = openBundleSource(tree.path);
    await source.load(signal);
    await rm(join(tree.path, "data/a.yml"));
    await mkdir(join(tree.path, "data/new"));
    await rename(join(tree.path, "data/b.yml"), join(tree.path, "data/new/b.yml"));
    await tree.write({ "data/c.yml": product("c") });
    expect([...(await source.load(signal)).datafiles.keys()]).toEqual(["/c.yml", "/new/b.yml"]);
  });

  test("a broken file does not hide the next good version of it", async () => {
    await using tree = await sampleTree({ "data/a.yml": "a: [" });
    const source = openBundleSource(tree.path);
    await expect(source.load(signal)).rejects.toThrow(InputError);
    await expect(source.load(signal)).rejects.toThrow(InputError);
    await tree.write({ "data/a.yml": product("a") });
    expect((await source.load(signal)).datafiles.size).toBe(1);
  });

  test("files that are deleted while they are read are not there", async () => {
    const names = Array.from({ length: 600 }, (_, index) => `data/${index}.yml`);
    await using tree = await sampleTree(Object.fromEntries(names.map((name) => [name, product("x")])));
    const loading = openBundleSource(tree.path).load(signal);
    await Promise.all(names.slice(300).map((name) => rm(join(tree.path, name))));
    const bundle = await loading;
    expect(bundle.datafiles.size).toBeGreaterThanOrEqual(300);
    expect(bundle.datafiles.size).toBeLessThanOrEqual(600);
  });

  test("several at once do not disturb each other", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a"), "data/b.yml": product("b") });
    const source = openBundleSource(tree.path);
    const bundles = await Promise.all([source.load(signal), source.load(signal), source.load(signal)]);
    expect(new Set(bundles).size).toBe(1);
  });

  test("stops when it is told to", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a") });
    const reason = new Error("stop");
    await expect(openBundleSource(tree.path).load(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe("schemas from another directory", () => {
  test("are used unless the data has its own, and before those that are built in", async () => {
    await using schemas = await sampleTree({
      "schemas/own-1.yml": "from: elsewhere\n",
      "schemas/both-1.yml": "from: elsewhere\n",
      "schemas/app-sre/product-1.yml": "from: elsewhere\n",
      "graphql-schemas/schema.yml": "confs: [{name: Elsewhere_v1, fields: []}]\n",
      "data/ignored.yml": "[",
    });
    await using tree = await sampleTree({ "data/a.yml": product("a"), "schemas/both-1.yml": "from: data\n" });
    const bundle = await openBundleSource(tree.path, { schemas: schemas.path }).load(signal);
    expect([...bundle.datafiles.keys()]).toEqual(["/a.yml"]);
    expect(bundle.schemas.get("/own-1.yml")).toEqual({ from: "elsewhere" });
    expect(bundle.schemas.get("/both-1.yml")).toEqual({ from: "data" });
    expect(bundle.schemas.get("/app-sre/product-1.yml")).toEqual({ from: "elsewhere" });
    expect(bundle.schemas.has("/app-sre/app-1.yml")).toBe(true);
    expect(bundle.types.map(({ name }) => name)).toContain("Elsewhere_v1");
  });

  test("a slash that Python may escape and Go may not is read as one", async () => {
    const bundle = await load({
      "data/a.yml": product("a"),
      "schemas/own-1.yml": String.raw`pattern: "^https:\/\/.+(?<!\/)$"`,
    });
    expect(bundle.schemas.get("/own-1.yml")).toEqual({ pattern: "^https://.+(?<!/)$" });
  });
});
