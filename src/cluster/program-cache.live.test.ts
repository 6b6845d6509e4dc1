import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { BuildProgress } from "./build-program.ts";
import { ensureProgram } from "./program-cache.ts";
import type { GoProgram } from "./go-program.ts";

const never = new AbortController().signal;
let root: string;
let cache: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tenon-binary-"));
  cache = join(root, "cache");
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

/** A real Go module, new to Go's cache, that builds in a second in place of the real one, which takes minutes. */
async function smallSource(statement = `println("${crypto.randomUUID()}")`): Promise<GoProgram> {
  const directory = join(root, "module");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "go.mod"), "module example.invalid/small\n\ngo 1.22\n");
  await writeFile(join(directory, "main.go"), `package main\n\nfunc main() { ${statement} }\n`);
  return {
    name: "small",
    title: "the small program",
    directory,
    hash: "0123456789abcdef",
    goBuildFlags: ["-trimpath", "-ldflags", "-s -w"],
    links: ["tiny"],
  };
}

async function ensure(source: GoProgram, onProgress: (progress: BuildProgress) => void = () => {}) {
  return ensureProgram(cache, source, onProgress, never);
}

test("the first call builds the program and reports progress, the second finds it in the cache", async () => {
  const source = await smallSource();
  const seen: BuildProgress[] = [];
  const built = await ensure(source, (progress) => seen.push(progress));
  expect(built).toMatchObject({ state: "cached", path: join(cache, source.hash, "small") });
  expect(await readlink(join(cache, source.hash, "tiny"))).toBe("small");
  expect(seen.at(-1)).toMatchObject({ phase: "link", remainingMs: 0 });
  expect(seen.every(({ done, total }) => done <= total)).toBe(true);

  const again = await ensure(source, () => expect.unreachable("the second call must not build"));
  expect(again).toEqual(built);
  expect(await readdir(cache)).toEqual([source.hash]);
});

test("companions stand beside the program, with manifests of a module; a missing companion is named", async () => {
  const source = await smallSource();
  await mkdir(join(source.directory, "second"));
  await writeFile(join(source.directory, "second", "main.go"), "package main\n\nfunc main() {}\n");
  const library = join(root, "library");
  await mkdir(join(library, "config", "part"), { recursive: true });
  await writeFile(join(library, "go.mod"), "module example.invalid/library\n");
  await writeFile(join(library, "library.go"), "package library\n");
  await writeFile(join(library, "config", "part", "a.yaml"), "kind: ConfigMap\n");
  await writeFile(
    join(source.directory, "go.mod"),
    `module example.invalid/small\n\ngo 1.22\n\nrequire example.invalid/library v1.0.0\n\nreplace example.invalid/library => ${library}\n`,
  );
  const program: GoProgram = {
    ...source,
    companions: ["./second"],
    manifests: { manifests: { module: "example.invalid/library", folder: "config" } },
  };
  const { path } = await ensure(program);
  const entry = join(path, "..");
  expect(await readdir(entry)).toEqual(expect.arrayContaining(["manifests", "second", "small"]));
  expect(await readFile(join(entry, "manifests", "part", "a.yaml"), "utf8")).toBe("kind: ConfigMap\n");
  await rm(join(entry, "second"));
  await expect(ensure(program)).rejects.toMatchObject({ what: expect.stringContaining("second is missing") });
});

test("Go is needed only if the binary is not in the cache, and the error says where to get Go", async () => {
  const source = await smallSource();
  vi.stubEnv("PATH", join(root, "no-programs-here"));
  await expect(ensure(source)).rejects.toMatchObject({
    name: "InputError",
    what: expect.stringContaining("needs Go"),
    next: expect.stringContaining("https://go.dev/doc/install"),
  });
  vi.unstubAllEnvs();
  await ensure(source);
  vi.stubEnv("PATH", join(root, "no-programs-here"));
  expect((await ensure(source)).state).toBe("cached");
});

test.each([
  { reason: "a byte is missing", damage: (binary: string) => truncate(binary, 1_000), what: "bytes, expected" },
  {
    reason: "its bytes changed but not their number",
    async damage(binary: string) {
      const content = await readFile(binary);
      content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 1;
      await writeFile(binary, content);
      await utimes(binary, 0, 0);
    },
    what: "SHA-256",
  },
  { reason: "the binary is gone", damage: (binary: string) => rm(binary), what: "small is missing" },
  {
    reason: "entry.json is gone",
    damage: (binary: string) => rm(join(binary, "..", "entry.json")),
    what: "entry.json",
  },
  {
    reason: "entry.json is damaged",
    damage: (binary: string) => appendFile(join(binary, "..", "entry.json"), "]"),
    what: "entry.json",
  },
])("a corrupt cache entry is named and left alone: $reason", async ({ damage, what }) => {
  const source = await smallSource();
  const { path } = await ensure(source);
  await damage(path);
  const before = await readdir(join(cache, source.hash));
  await expect(ensure(source)).rejects.toMatchObject({
    name: "InputError",
    where: join(cache, source.hash),
    what: expect.stringContaining(what),
    next: expect.stringContaining(`rm -r ${join(cache, source.hash)}`),
  });
  expect(await readdir(join(cache, source.hash))).toEqual(before);
});

test("a cached binary with another modification time and the same content is used", async () => {
  const source = await smallSource();
  const { path } = await ensure(source);
  await utimes(path, 1, 1);
  expect((await ensure(source)).state).toBe("cached");
});

test("a build that was killed leaves no cache entry, and the next build finishes it", async () => {
  const source = await smallSource();
  const builder = spawn(
    process.execPath,
    [
      "--input-type=module-typescript",
      "--eval",
      `import { ensureProgram } from ${JSON.stringify(`${import.meta.dirname}/program-cache.ts`)};
     const onProgress = () => process.kill(process.pid, "SIGKILL");
     await ensureProgram(${JSON.stringify(cache)}, ${JSON.stringify(source)}, onProgress, new AbortController().signal);`,
    ],
    { env: { ...process.env, GOCACHE: join(root, "empty-go-cache") } },
  );
  await once(builder, "exit");
  expect(await readdir(cache)).toEqual([`${source.hash}.building`]);
  expect((await ensure(source)).state).toBe("cached");
  expect(await readdir(cache)).toEqual([source.hash]);
});

test("two callers that need the same binary build it once", async () => {
  const source = await smallSource();
  const phases: string[][] = [[], []];
  const binaries = await Promise.all(phases.map((seen) => ensure(source, ({ phase }) => seen.push(phase))));
  expect(binaries[0]).toEqual(binaries[1]);
  expect(phases.filter((seen) => seen.includes("waiting"))).toEqual([["waiting"]]);
});

test("a compile error reaches the user", async () => {
  const source = await smallSource("undefinedName()");
  await expect(ensure(source)).rejects.toThrow(/main\.go:3:\d+: undefined: undefinedName/);
});

test("aborting a build stops Go", async () => {
  const source = await smallSource();
  const controller = new AbortController();
  vi.stubEnv("GOCACHE", join(root, "empty-go-cache"));
  const enough = new Error("enough");
  await expect(ensureProgram(cache, source, () => controller.abort(enough), controller.signal)).rejects.toBe(enough);
});
