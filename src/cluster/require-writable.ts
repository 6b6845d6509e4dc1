import { access, constants, mkdir } from "node:fs/promises";
import { InputError } from "#base";
import type { ClusterHome } from "./home.ts";

const elsewhere = "/var/tmp/tenon";

/** Refuses a home that cannot be written, such as a read-only one, before a build of minutes. */
export async function requireWritable({ cache, data }: ClusterHome): Promise<void> {
  for (const directory of [cache, data]) {
    try {
      await mkdir(directory, { recursive: true });
      await access(directory, constants.W_OK);
    } catch (cause) {
      const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
      throw new InputError(`cannot write to ${directory}: ${reasons[reason] ?? reason}`, {
        next: `choose other directories with \`export XDG_CACHE_HOME=${elsewhere} XDG_DATA_HOME=${elsewhere} GOPATH=${elsewhere}/go\`, and start again`,
        cause,
      });
    }
  }
}

const reasons: Readonly<Record<string, string>> = {
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is a file",
};
