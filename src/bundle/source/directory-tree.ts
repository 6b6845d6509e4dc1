import { existsSync, readFileSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Clock, InputError, systemClock } from "#base";
import { findCommit, type GitCommit, GitError } from "#git";
import { DirectoryLister } from "./directory-lister.ts";
import type { TakeContent, TreeFile, TreeReader } from "./file-tree.ts";
import { watchDirectory } from "./watch-directory.ts";

/**
 * The files of a directory, with the checked out commit if it is in a git repository and `hasCommit` asks for it. Names that start with a dot are
 * skipped. A symbolic link to a file inside the directory counts as that file; the root itself may be a link, as with
 * git-sync and mounted ConfigMaps.
 */
export function directoryTree(root: string, clock: Clock = systemClock, hasCommit = true): TreeReader {
  const lister = new DirectoryLister(root);
  return {
    description: `the data directory ${root}`,
    async list(signal, directories) {
      const directory = await realpath(root).catch((cause: unknown) => {
        throw new InputError("directory not found", { where: root, next: "check the path", cause });
      });
      const [commit, { files, problems }] = await Promise.all([
        hasCommit && isInRepository(resolve(root)) ? checkedOut(root, signal) : undefined,
        lister.list(directory, clock.now(), directories, signal),
      ]);
      return {
        files,
        problems,
        ...(commit && { commit }),
        read: (requested, take, abort) => readFiles(directory, requested, take, clock, abort),
        where: (path) => join(root, path),
      };
    },
    watch: (notify, signal) => watchDirectory(root, notify, signal),
  };
}

function isInRepository(directory: string): boolean {
  if (existsSync(join(directory, ".git"))) return true;
  const above = dirname(directory);
  return above !== directory && isInRepository(above);
}

/** Optional: git may be missing, or may not trust the directory. */
async function checkedOut(root: string, signal: AbortSignal): Promise<GitCommit | undefined> {
  try {
    return await findCommit(root, "HEAD", signal);
  } catch (error) {
    if (error instanceof GitError || error instanceof InputError || signal.aborted) return undefined;
    throw error;
  }
}

const filesBetweenPauses = 256;
/** A read from the page cache takes a tenth of this. */
const slowReadMs = 0.3;

/**
 * Reads files one after the other while that is fast, because an asynchronous read costs four trips to another thread.
 * When the disk is slow, reads several at once, so that some are hashed while others load.
 */
async function readFiles(
  directory: string,
  files: readonly TreeFile[],
  take: TakeContent,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let isSlow = false;
  for (let at = 0; at < files.length; at += filesBetweenPauses) {
    signal.throwIfAborted();
    const batch = files.slice(at, at + filesBetweenPauses);
    if (isSlow) {
      await Promise.all(batch.map(async (file) => take(file, await readSlowly(join(directory, file.path)))));
      isSlow = false;
      continue;
    }
    const begin = clock.monotonic();
    for (const file of batch) take(file, readAtOnce(join(directory, file.path)));
    isSlow = clock.monotonic() - begin > batch.length * slowReadMs;
    await setImmediate();
  }
}

function readAtOnce(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    return unlessGone(error, file);
  }
}

async function readSlowly(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    return unlessGone(error, file);
  }
}

function unlessGone(error: unknown, where: string): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return undefined;
  if (code !== "EACCES") throw error;
  throw new InputError("permission denied", { where, next: "make it readable for this user", cause: error });
}
