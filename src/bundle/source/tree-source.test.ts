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
  return await openBundleSource(tree.path).load(signal);
}

/** The error message of loading these files, without the directory. */
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

describe("a directory source", () => {
  test("A-1: data, resources, schemas and the GraphQL description are in separate folders", async () => {
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

  test("without data/, the directory itself is the tree of data files", async () => {
    const bundle = await load({ "a.yml": product("a"), "b/c.yaml": product("c"), "resources/d.yml": "[" });
    expect([...bundle.datafiles.keys()]).toEqual(["/a.yml", "/b/c.yaml"]);
    expect([...bundle.resources.keys()]).toEqual(["/d.yml"]);
  });

  test("A-2: files with other extensions or hidden names are skipped", async () => {
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

  test("A-3: a resource is kept verbatim, and its schema is read from a line of its text", async () => {
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

  test("A-13: files are in the order of their paths, across folders", async () => {
    const paths = ["a-b.yml", "a.yml", "a/b.yml", "a/b/c.yml", "a0.yml", "b.yml", "Z.yml"];
    const bundle = await load(Object.fromEntries(paths.map((path) => [`data/${path}`, product("x")])));
    expect([...bundle.datafiles.keys()]).toEqual(paths.map((path) => `/${path}`).toSorted());
  });

  test("A-6: equal files have the same identity, different files have different ones", async () => {
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

test.each([
  { reason: "a number for Go is a text without its dot", written: "1234e56", value: "1234e56" },
  { reason: "y is a text", written: "y", value: "y" },
  { reason: "yes is not", written: "yes", value: true },
  { reason: "base 60", written: "1:30", value: 90 },
  { reason: "not octal", written: "08", value: "08" },
  { reason: "octal", written: "010", value: 8 },
  { reason: "a date stays its text", written: "2020-01-01", value: "2020-01-01" },
  { reason: "an escape that Go does not know", written: '"\\/"', value: "/" },
])("data files are read as qontract's tools read them: $written ($reason)", async ({ written, value }) => {
  const bundle = await load({ "data/a.yml": `a: ${written}\n`, "data/b.json": '{"$schema": "/b"}' });
  expect(bundle.datafiles.get("/a.yml")?.content).toEqual({ a: value });
});

test("a resource may be larger than 8 MB", async () => {
  const bundle = await load({ "data/a.yml": product("a"), "resources/r.txt": "x".repeat(9 * 1024 * 1024) });
  expect(bundle.resources.get("/r.txt")?.content).toHaveLength(9 * 1024 * 1024);
});

test("the last of two equal keys counts, and a key wins over a merged one wherever it stands", async () => {
  const bundle = await load({ "data/a.yml": "a: 1\na: 2\nb: &b {c: 1, d: 1}\ne: {c: 2, <<: *b}\n" });
  expect(bundle.datafiles.get("/a.yml")?.content).toMatchObject({ a: 2, e: { c: 2, d: 1 } });
});

describe("a directory source rejects", () => {
  test.each([
    { reason: "bad UTF-8", file: Buffer.from("$schema: /a\nname: \xff\n", "latin1"), says: "/data/x.yml:2:7: " },
    { reason: "invalid YAML", file: "a: b\n  c: d\n", says: "/data/x.yml:2:" },
    { reason: "an empty file", file: "# nothing\n", says: "expected an object, got an empty file" },
    { reason: "a list", file: "- a\n", says: "/data/x.yml: expected an object, got a list" },
    { reason: "a second document", file: "a: 1\n---\nb: 2\n", says: "expected one YAML document, got a second one" },
  ])("$reason", async ({ file, says }) => {
    expect(await refusal({ "data/x.yml": file })).toContain(says);
  });

  test.each(["data/x.yml", "schemas/x-1.yml"])("a file of more than 8 MB, with its size: %s", async (path) => {
    const large = `a: ${"x".repeat(9 * 1024 * 1024)}\n`;
    expect(await refusal({ "data/a.yml": product("a"), [path]: large })).toBe(
      `/${path}: the file has 9.0 MB, and at most 8 MB are read; split it, or move files that are not data to resources/`,
    );
  });

  test("invalid JSON, with line and column", async () => {
    expect(await refusal({ "data/x.json": '{\n  "a": 1,\n}' })).toMatch(
      /^\/data\/x\.json:3:1: not valid JSON: .*; fix/,
    );
  });

  test("JSON that is nested too deeply", async () => {
    const deep = `{"a": ${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
    expect(await refusal({ "data/x.json": deep })).toContain("nested more than 500 levels deep");
  });

  test("a file whose aliases expand without bound", async () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `l${level}: &l${level} [${Array(10)
          .fill(level === 0 ? "x" : `*l${level - 1}`)
          .join(",")}]`,
    );
    expect(await refusal({ "data/x.yml": levels.join("\n") })).toContain("/data/x.yml");
  });

  test("all broken files in one error, each with its position", async () => {
    const text = await refusal({ "data/a.yml": "a: [", "data/b.yml": product("b"), "data/c.yml": "- c" });
    expect(text).toMatch(/^cannot read 2 files of the data directory /);
    expect(text).toMatch(/- \/data\/a\.yml:1:/);
    expect(text).toContain("- /data/c.yml: expected an object, got a list");
  });

  test("a directory without data files", async () => {
    expect(await refusal({ "notes.txt": "" })).toContain("contains no data files");
  });

  test("a path that does not exist", () => {
    expect(() => openBundleSource("/nowhere/at/all")).toThrow("file or directory not found");
  });

  test("a file of two million characters loads", async () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `- a line of a large file, number ${index}`);
    const bundle = await load({ "data/x.yml": `$schema: /x-1.yml\nlist:\n${lines.join("\n")}\n` });
    expect(bundle.datafiles.get("/x.yml")?.content["list"]).toHaveLength(60_000);
  });
});

test("a key may replace a merged key", async () => {
  const bundle = await load({
    "data/x.yml": "$schema: /x-1.yml\nbase: &base {a: 1, b: 2}\nderived:\n  <<: *base\n  b: 3\n",
  });
  expect(bundle.datafiles.get("/x.yml")?.content["derived"]).toEqual({ a: 1, b: 3 });
});

describe("a symbolic link", () => {
  test("to a file inside counts as that file, also when the root is a link", async () => {
    await using tree = await sampleTree({ "real/data/a.yml": product("a") });
    await symlink("a.yml", join(tree.path, "real/data/b.yml"));
    await symlink("real", join(tree.path, "current"));
    const bundle = await openBundleSource(join(tree.path, "current")).load(signal);
    expect([...bundle.datafiles.keys()]).toEqual(["/a.yml", "/b.yml"]);
  });

  test.each([
    { reason: "out of the directory", target: "../../outside.yml", says: "points outside the data directory" },
    { reason: "to nothing", target: "gone.yml", says: "broken symbolic link" },
    { reason: "to a directory, which may hold itself", target: ".", says: "are not followed" },
  ])("$reason is an error", async ({ target, says }) => {
    await using tree = await sampleTree({ "outside.yml": product("o"), "root/data/a.yml": product("a") });
    await symlink(target, join(tree.path, "root/data/link.yml"));
    await expect(openBundleSource(join(tree.path, "root")).load(signal)).rejects.toThrow(says);
  });
});

test("before files are parsed, a bundle has its identity, and a broken file is not an error yet", async () => {
  await using tree = await sampleTree({ "data/a.yml": product("a"), "data/b.yml": "b: [", "schemas/x-1.yml": "x: y" });
  const source = openBundleSource(tree.path);
  const unparsed = await source.readUnparsed?.(signal);
  const parsed = await unparsed?.parse(signal);
  expect(unparsed?.identity).toBe((await openBundleSource(tree.path).read(signal)).bundle.identity);
  expect(unparsed?.problems).toEqual([]);
  expect(parsed?.problems.map(({ where }) => where)).toEqual([expect.stringContaining("data/b.yml:1:")]);
  expect([...(parsed?.bundle.datafiles.keys() ?? [])]).toEqual(["/a.yml"]);
  await tree.write({ "data/a.yml": product("c") });
  expect((await source.readUnparsed?.(signal))?.identity).not.toBe(unparsed?.identity);
});

describe("loading again", () => {
  test("returns the same bundle object when nothing changed", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a") });
    const source = openBundleSource(tree.path);
    expect(await source.load(signal)).toBe(await source.load(signal));
  });

  test("parses only what changed, and keeps the other objects", async () => {
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

  test("sees a change that keeps size and time", async () => {
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

  test("sees files that are created, deleted and moved", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a"), "data/b.yml": product("b") });
    const source = openBundleSource(tree.path);
    await source.load(signal);
    await rm(join(tree.path, "data/a.yml"));
    await mkdir(join(tree.path, "data/new"));
    await rename(join(tree.path, "data/b.yml"), join(tree.path, "data/new/b.yml"));
    await tree.write({ "data/c.yml": product("c") });
    expect([...(await source.load(signal)).datafiles.keys()]).toEqual(["/c.yml", "/new/b.yml"]);
  });

  test("loads a broken file after it is fixed", async () => {
    await using tree = await sampleTree({ "data/a.yml": "a: [" });
    const source = openBundleSource(tree.path);
    await expect(source.load(signal)).rejects.toThrow(InputError);
    await expect(source.load(signal)).rejects.toThrow(InputError);
    await tree.write({ "data/a.yml": product("a") });
    expect((await source.load(signal)).datafiles.size).toBe(1);
  });

  test("leaves out files that are deleted during the load", async () => {
    const names = Array.from({ length: 600 }, (_, index) => `data/${index}.yml`);
    await using tree = await sampleTree(Object.fromEntries(names.map((name) => [name, product("x")])));
    const loading = openBundleSource(tree.path).load(signal);
    await Promise.all(names.slice(300).map((name) => rm(join(tree.path, name))));
    const bundle = await loading;
    expect(bundle.datafiles.size).toBeGreaterThanOrEqual(300);
    expect(bundle.datafiles.size).toBeLessThanOrEqual(600);
  });

  test("several loads at once give the same bundle", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a"), "data/b.yml": product("b") });
    const source = openBundleSource(tree.path);
    const bundles = await Promise.all([source.load(signal), source.load(signal), source.load(signal)]);
    expect(new Set(bundles).size).toBe(1);
  });

  test("stops when its signal aborts", async () => {
    await using tree = await sampleTree({ "data/a.yml": product("a") });
    const reason = new Error("stop");
    await expect(openBundleSource(tree.path).load(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe("schemas from another directory", () => {
  test("win over built-in schemas, and lose to schemas of the data", async () => {
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

  test("the escaped slash of Python's YAML is read as a slash", async () => {
    const bundle = await load({
      "data/a.yml": product("a"),
      "schemas/own-1.yml": String.raw`pattern: "^https:\/\/.+(?<!\/)$"`,
    });
    expect(bundle.schemas.get("/own-1.yml")).toEqual({ pattern: "^https://.+(?<!/)$" });
  });
});
