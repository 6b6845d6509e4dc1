import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, copyFile, glob, mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { InputError } from "#base";
import { buildProgram, type OnBuildProgress, projectOf } from "./build-program.ts";
import { takeBuildLock } from "./build-lock.ts";
import { moduleDirectory } from "./go.ts";
import { parseJson } from "./parse-json.ts";
import type { GoProgram } from "./go-program.ts";

/** A program's binary in the cache: its path, and whether it can be used. */
export interface ProgramBinary {
  readonly state: "cached" | "corrupt" | "absent";
  readonly path: string;
  readonly detail?: string;
}

/** `entry.json` beside a binary in the cache. */
const CacheEntry = z.object({ sha256: z.string(), bytes: z.number(), modifiedMs: z.number() });

/** Looks into the cache, without building anything. */
export async function inspectProgram(cache: string, program: GoProgram): Promise<ProgramBinary> {
  const directory = entryDirectory(cache, program);
  const path = join(directory, program.name);
  const text = await readFile(join(directory, "entry.json"), "utf8").catch(() => undefined);
  const file = await stat(path).catch(() => undefined);
  if (text === undefined && file === undefined) return { path, state: "absent" };
  if (text === undefined) return { path, state: "corrupt", detail: "entry.json is missing" };
  if (file === undefined) return { path, state: "corrupt", detail: `${program.name} is missing` };
  for (const companion of program.companions ?? []) {
    const name = basename(companion);
    const isThere = await access(join(directory, name)).then(
      () => true,
      () => false,
    );
    if (!isThere) return { path, state: "corrupt", detail: `${name} is missing` };
  }
  const entry = parseJson(CacheEntry, text);
  if (!entry) return { path, state: "corrupt", detail: "entry.json cannot be read" };
  if (file.size !== entry.bytes) {
    return { path, state: "corrupt", detail: `${program.name} has ${file.size} bytes, expected ${entry.bytes}` };
  }
  // Only a binary whose modification time differs is read and hashed: it may have 160 MB.
  if (file.mtimeMs === entry.modifiedMs) return { path, state: "cached" };
  if ((await hashFile(path)) !== entry.sha256) {
    return { path, state: "corrupt", detail: `the SHA-256 of ${program.name} does not match entry.json` };
  }
  return { path, state: "cached" };
}

/** Gives the binary from the cache, or builds it first. */
export async function ensureProgram(
  cache: string,
  program: GoProgram,
  onProgress: OnBuildProgress,
  signal: AbortSignal,
): Promise<ProgramBinary> {
  const found = await requireSound(cache, program);
  if (found) return found;
  await mkdir(cache, { recursive: true });
  const directory = entryDirectory(cache, program);
  await using _lock = await takeBuildLock(
    directory,
    () => onProgress({ kind: "build", project: projectOf(program), phase: "waiting", done: 0, total: 0 }),
    signal,
  );
  const built = await requireSound(cache, program);
  if (built) return built;
  await fillEntry(directory, program, onProgress, signal);
  return inspectProgram(cache, program);
}

/** The entry appears by one rename, so that a build that stops halfway leaves none. */
async function fillEntry(
  directory: string,
  program: GoProgram,
  onProgress: OnBuildProgress,
  signal: AbortSignal,
): Promise<void> {
  const unfinished = `${directory}.building`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const path = join(unfinished, program.name);
  await buildProgram(program, unfinished, onProgress, signal);
  for (const [name, { module, folder }] of Object.entries(program.manifests ?? {})) {
    await copyManifests(join(await moduleDirectory(program.directory, module), folder), join(unfinished, name));
  }
  const { size, mtimeMs } = await stat(path);
  const entry: z.infer<typeof CacheEntry> = { sha256: await hashFile(path), bytes: size, modifiedMs: mtimeMs };
  await writeFile(join(unfinished, "entry.json"), `${JSON.stringify(entry, undefined, 2)}\n`);
  for (const link of program.links ?? []) await symlink(program.name, join(unfinished, link));
  await rename(unfinished, directory);
}

/** File by file: Go's folders of modules cannot be written to, and a copy of them could not be deleted. */
async function copyManifests(from: string, to: string): Promise<void> {
  for await (const file of glob("**/*.yaml", { cwd: from })) {
    const target = join(to, file);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(from, file), target);
  }
}

function entryDirectory(cache: string, program: GoProgram): string {
  return join(cache, program.hash);
}

async function requireSound(cache: string, program: GoProgram): Promise<ProgramBinary | undefined> {
  const binary = await inspectProgram(cache, program);
  if (binary.state === "absent") return undefined;
  if (binary.state === "cached") return binary;
  const directory = entryDirectory(cache, program);
  throw new InputError(`${program.title} in the cache is damaged: ${binary.detail}`, {
    where: directory,
    next: `delete it with \`rm -r ${directory}\` and start again to rebuild it`,
  });
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}
