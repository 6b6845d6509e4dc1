import { type FSWatcher, watch } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { CommandFailed } from "#base";
import type { NotifyChange } from "./file-tree.ts";

/**
 * When many events come at once, some may have been lost on the way: the kernel's queue has an end, and Node does not say
 * when it was reached. https://man7.org/linux/man-pages/man7/inotify.7.html
 */
const mostEvents = 1_000;

/**
 * Rings when anything below a directory changes, and once when everything is watched.
 * One watch for each directory: Node's own recursive watch takes one for each file, of which a user has too few:
 * https://github.com/nodejs/node/blob/v24.x/lib/internal/fs/recursive_watch.js
 */
export async function watchDirectory(root: string, ring: NotifyChange, signal: AbortSignal): Promise<void> {
  const watcher = new DirectoryWatcher(resolve(root), ring);
  signal.addEventListener("abort", () => watcher.close(), { once: true });
  await watcher.start();
  if (signal.aborted) watcher.close();
}

/** Rings when a file changes or is replaced, and once when it is watched. */
export function watchFile(file: string, ring: NotifyChange, signal: AbortSignal): Promise<void> {
  const path = resolve(file);
  // Its directory, because a file that is replaced by another takes its watch with it.
  const watcher = watch(dirname(path), (_, name) => {
    if (name === basename(path)) ring();
  });
  watcher.on("error", () => ring());
  signal.addEventListener("abort", () => watcher.close(), { once: true });
  ring();
  return Promise.resolve();
}

class DirectoryWatcher {
  readonly #root: string;
  readonly #ring: NotifyChange;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #noticed: (string | undefined)[] = [];
  #parent: FSWatcher | undefined;
  #isClosed = false;
  #isSyncing = false;
  #real: string | undefined;

  constructor(root: string, ring: NotifyChange) {
    this.#root = root;
    this.#ring = ring;
  }

  async start(): Promise<void> {
    // The root may be a symbolic link that is turned to another directory, or may be made anew.
    this.#parent = this.#open(dirname(this.#root), (name) => {
      if (name === null || name === basename(this.#root)) this.#notice();
    });
    await this.#watchAll();
    this.#ring();
  }

  close(): void {
    this.#isClosed = true;
    this.#parent?.close();
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #notice(directory?: string): void {
    this.#noticed.push(directory);
    if (!this.#isSyncing) void this.#sync();
  }

  /** Rings when new directories are watched too: what was put into them meanwhile is then found by whoever heard it. */
  async #sync(): Promise<void> {
    this.#isSyncing = true;
    while (this.#noticed.length > 0 && !this.#isClosed) {
      const noticed = this.#noticed.splice(0);
      // A directory that cannot be watched is gone, or the next reading says what is wrong with it.
      await this.#watchAll().catch(() => undefined);
      if (noticed.length > mostEvents) this.#ring();
      for (const directory of new Set(noticed)) this.#ring(this.#pathOf(directory));
    }
    this.#isSyncing = false;
  }

  #pathOf(directory: string | undefined): string | undefined {
    return this.#real === undefined || directory === undefined ? undefined : relative(this.#real, directory);
  }

  async #watchAll(): Promise<void> {
    this.#real = await realpath(this.#root);
    const present = await directoriesBelow(this.#real);
    for (const [directory, watcher] of this.#watchers) {
      if (present.has(directory)) continue;
      watcher.close();
      this.#watchers.delete(directory);
    }
    for (const directory of present) {
      if (this.#isClosed || this.#watchers.has(directory)) continue;
      this.#watchers.set(
        directory,
        this.#open(directory, () => this.#notice(directory)),
      );
    }
  }

  #open(directory: string, heard: (name: string | null) => void): FSWatcher {
    try {
      const watcher = watch(directory, (_, name) => heard(name));
      watcher.on("error", () => {
        watcher.close();
        if (this.#watchers.get(directory) === watcher) this.#watchers.delete(directory);
        this.#notice();
      });
      return watcher;
    } catch (cause) {
      throw tooMany(cause, directory);
    }
  }
}

async function directoriesBelow(root: string): Promise<Set<string>> {
  const found = new Set<string>();
  const waiting = [root];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => undefined);
    if (!entries) continue;
    found.add(directory);
    for (const entry of entries) {
      if (entry.isDirectory() && !entry.name.startsWith(".")) waiting.push(join(directory, entry.name));
    }
  }
  return found;
}

function tooMany(cause: unknown, directory: string): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code !== "ENOSPC" && code !== "EMFILE") return cause;
  return new CommandFailed("the system allows no more watches", {
    where: directory,
    next: "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances, or reload by hand",
    cause,
  });
}
