import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Clock, InputError, systemClock } from "#base";
import { findCommit, type GitCommit, GitError } from "#git";
import { DirectoryLister } from "./directory-lister.ts";
import type { TreeReader } from "./file-tree.ts";
import { readFiles } from "./read-files.ts";
import { watchDirectory } from "./watch-directory.ts";

/**
 * The files of a directory, with the commit that is checked out there if it is in a repository. Names that begin with a
 * dot are skipped. A symbolic link to a file counts as that file if it stays inside the directory; the root itself may be
 * a link, as git-sync and mounted ConfigMaps have it.
 */
export function directoryTree(root: string, clock: Clock = systemClock): TreeReader {
  const lister = new DirectoryLister(root);
  return {
    description: `the data directory ${root}`,
    async list(signal, directories) {
      const directory = await realpath(root).catch((cause: unknown) => {
        throw new InputError("there is no such directory", { where: root, next: "check the path", cause });
      });
      const [commit, { files, problems }] = await Promise.all([
        isInRepository(resolve(root)) ? checkedOut(root, signal) : undefined,
        lister.list(directory, clock.now(), directories, signal),
      ]);
      return {
        files,
        problems,
        ...(commit && { commit }),
        read: (wanted, take, abort) => readFiles(directory, wanted, take, clock, abort),
        where: (path) => join(root, path),
      };
    },
    watch: (ring, signal) => watchDirectory(root, ring, signal),
  };
}

function isInRepository(directory: string): boolean {
  if (existsSync(join(directory, ".git"))) return true;
  const above = dirname(directory);
  return above !== directory && isInRepository(above);
}

/** Nice to know, and not worth failing for: git may be missing, or may not trust the directory. */
async function checkedOut(root: string, signal: AbortSignal): Promise<GitCommit | undefined> {
  try {
    return await findCommit(root, "HEAD", signal);
  } catch (error) {
    if (error instanceof GitError || error instanceof InputError || signal.aborted) return undefined;
    throw error;
  }
}
