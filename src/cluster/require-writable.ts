import { access, constants, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { InputError } from "#base";
import type { ClusterHome } from "./home.ts";

const elsewhere = "/var/tmp/tenon";

/** Refuses a home that cannot be written, such as a read-only one, before a build of minutes. */
export async function requireWritable({ cache, data }: ClusterHome): Promise<void> {
  for (const directory of [cache, data]) {
    try {
      await makeWritable(directory);
    } catch (cause) {
      const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
      throw new InputError(`cannot write to ${directory}: ${reasons[reason] ?? reason}`, {
        next: `choose other directories with \`export XDG_CACHE_HOME=${elsewhere} XDG_DATA_HOME=${elsewhere} GOPATH=${elsewhere}/go\`, and start again`,
        cause,
      });
    }
  }
}

async function makeWritable(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    // On a read-only file system Node answers ENOENT, whichever part it could not make.
    await access(await nearestParent(directory), constants.W_OK);
    throw error;
  }
  await access(directory, constants.W_OK);
}

async function nearestParent(directory: string): Promise<string> {
  const parent = dirname(directory);
  const isThere = await access(parent).then(
    () => true,
    () => parent === directory,
  );
  return isThere ? parent : nearestParent(parent);
}

const reasons: Readonly<Record<string, string>> = {
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is a file",
};
