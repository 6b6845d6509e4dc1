import { hash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { compareText } from "#base";
import type { DesiredStore } from "./kept-desired.ts";

/** Above this, the oldest are deleted until half is left. */
const mostBytes = 200 * 2 ** 20;

/**
 * Keeps desired states in a folder that only its owner can read, below one that exists. Where there is no place for it, nothing is
 * kept and everything works all the same.
 */
export function desiredFolder(folder: string, code: string, limit = mostBytes): DesiredStore {
  let isPruned = false;
  return {
    code,
    find(key) {
      try {
        return readFileSync(join(folder, `${key}.json`), "utf8");
      } catch {
        return undefined;
      }
    },
    keep(key, text) {
      try {
        if (!isPruned) prune(makeFolder(folder), limit);
        isPruned = true;
        // Complete or not at all, because the process may be interrupted.
        const draft = join(folder, `${key}.${process.pid}`);
        writeFileSync(draft, text, { mode: 0o600 });
        renameSync(draft, join(folder, `${key}.json`));
      } catch {
        // Read-only, full, or not a folder.
      }
    },
  };
}

function makeFolder(folder: string): string {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  return folder;
}

function prune(folder: string, limit: number): void {
  const files = readdirSync(folder).map((name) => {
    const path = join(folder, name);
    const { size, mtimeMs } = statSync(path);
    return { path, size, mtimeMs };
  });
  let left = files.reduce((sum, { size }) => sum + size, 0);
  if (left <= limit) return;
  for (const { path, size } of files.toSorted((one, other) => one.mtimeMs - other.mtimeMs)) {
    if (left <= limit / 2) break;
    rmSync(path);
    left -= size;
  }
}

/**
 * Names the code of the published form: its files have hashes of their content in their names. All of them count, because what
 * computes a desired state is loaded only when one is computed. Undefined in a checkout, where code changes without a name for it.
 */
export function publishedCode(file = import.meta.url): string | undefined {
  if (!hashedName.test(basename(file))) return undefined;
  const names = readdirSync(new URL(".", file)).filter((name) => hashedName.test(name));
  return `${hash("sha256", names.toSorted(compareText).join("\n"))} ${process.version}`;
}

const hashedName = /-[\w-]{8}\.c?js$/;
