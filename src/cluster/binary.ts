import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { InputError } from "#base";
import { buildCluster, type OnBuildProgress } from "./build.ts";
import { takeBuildLock } from "./build-lock.ts";
import type { ClusterHome } from "./home.ts";
import { parseJson } from "./parse-json.ts";
import { type ClusterSource, readSource } from "./source.ts";

/** The binary in the cache: its path, that of the kubectl it also is, and whether it can be used. */
export interface ClusterBinary {
  readonly state: "cached" | "corrupt" | "absent";
  readonly path: string;
  readonly kubectl: string;
  readonly detail?: string;
}

/** What the cache remembers of a binary, in `entry.json` beside it. */
const CacheEntry = z.object({ sha256: z.string(), bytes: z.number(), modifiedMs: z.number() });

/** Looks into the cache, without building anything. */
export async function inspectBinary(home: ClusterHome): Promise<ClusterBinary> {
  return inspectEntry(entryDirectory(home, await readSource()));
}

/** Gives the binary from the cache, or builds it first: minutes the first time, seconds when little changed. */
export async function ensureBinary(
  home: ClusterHome,
  onProgress: OnBuildProgress,
  signal: AbortSignal,
  source?: ClusterSource,
): Promise<ClusterBinary> {
  const module = source ?? (await readSource());
  const directory = entryDirectory(home, module);
  const found = await requireSound(directory);
  if (found) return found;
  await mkdir(home.cache, { recursive: true });
  await using _lock = await takeBuildLock(
    directory,
    () => onProgress({ kind: "build", phase: "waiting", done: 0, total: 0 }),
    signal,
  );
  const built = await requireSound(directory);
  if (built) return built;
  await fillEntry(directory, module, onProgress, signal);
  return inspectEntry(directory);
}

/** The entry appears by one rename, so that a build that stops halfway leaves none. */
async function fillEntry(
  directory: string,
  source: ClusterSource,
  onProgress: OnBuildProgress,
  signal: AbortSignal,
): Promise<void> {
  const unfinished = `${directory}.building`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const path = join(unfinished, binaryName);
  await buildCluster(source, path, onProgress, signal);
  const { size, mtimeMs } = await stat(path);
  const entry: z.infer<typeof CacheEntry> = { sha256: await hashFile(path), bytes: size, modifiedMs: mtimeMs };
  await writeFile(join(unfinished, "entry.json"), `${JSON.stringify(entry, undefined, 2)}\n`);
  await symlink(binaryName, join(unfinished, "kubectl"));
  await rename(unfinished, directory);
}

const binaryName = "tenon-cluster";

function entryDirectory(home: ClusterHome, source: ClusterSource): string {
  return join(home.cache, source.hash);
}

async function requireSound(directory: string): Promise<ClusterBinary | undefined> {
  const binary = await inspectEntry(directory);
  if (binary.state === "absent") return undefined;
  if (binary.state === "cached") return binary;
  throw new InputError(`the embedded cluster in the cache is damaged: ${binary.detail}`, {
    where: directory,
    next: `delete it with \`rm -r ${directory}\` and start again to build it anew`,
  });
}

/** A binary whose size and time are as remembered is taken as sound; only else its 160 MB are read and hashed. */
async function inspectEntry(directory: string): Promise<ClusterBinary> {
  const path = join(directory, binaryName);
  const at = { path, kubectl: join(directory, "kubectl") };
  const text = await readFile(join(directory, "entry.json"), "utf8").catch(() => undefined);
  const file = await stat(path).catch(() => undefined);
  if (text === undefined && file === undefined) return { ...at, state: "absent" };
  if (text === undefined) return { ...at, state: "corrupt", detail: "entry.json is missing" };
  if (file === undefined) return { ...at, state: "corrupt", detail: `${binaryName} is missing` };
  const entry = parseJson(CacheEntry, text);
  if (!entry) return { ...at, state: "corrupt", detail: "entry.json cannot be read" };
  if (file.size !== entry.bytes) {
    return { ...at, state: "corrupt", detail: `${binaryName} has ${file.size} bytes instead of ${entry.bytes}` };
  }
  if (file.mtimeMs === entry.modifiedMs) return { ...at, state: "cached" };
  if ((await hashFile(path)) !== entry.sha256) {
    return { ...at, state: "corrupt", detail: `the SHA-256 of ${binaryName} is not the one it was built with` };
  }
  return { ...at, state: "cached" };
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}
