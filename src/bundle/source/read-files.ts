import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Clock, InputError } from "#base";
import type { TakeContent, TreeFile } from "./file-tree.ts";

const filesBetweenPauses = 256;
/** From a cache in memory it takes a tenth of this. */
const slowReadMs = 0.3;

/**
 * One after the other while that is fast, because an asynchronous read costs four trips to another thread. When the disk
 * lets us wait, several at once, so that some are parsed while others are on their way.
 */
export async function readFiles(
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
    let waited = 0;
    for (const file of batch) {
      const begin = clock.monotonic();
      const content = readAtOnce(join(directory, file.path));
      waited += clock.monotonic() - begin;
      take(file, content);
    }
    isSlow = waited > batch.length * slowReadMs;
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
  throw new InputError("may not be read", { where, next: "give yourself the right to read it", cause: error });
}
