import { type FSWatcher, watch } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { CommandFailed } from "#base";
import type { NotifyChange } from "./file-tree.ts";

/**
 * When many events come at once, some may have been lost: the kernel's queue is limited, and Node does not report
 * that it overflowed. https://man7.org/linux/man-pages/man7/inotify.7.html
 */
const mostEvents = 1_000;

/**
 * Notifies when anything below a directory changes, and once when everything is watched.
 * One watch per directory: Node's own recursive watch takes one per file, which exceeds the limit of a user:
 * https://github.com/nodejs/node/blob/v24.x/lib/internal/fs/recursive_watch.js
 */
export async function watchDirectory(root: string, notify: NotifyChange, signal: AbortSignal): Promise<void> {
  const watcher = new DirectoryWatcher(resolve(root), notify);
  signal.addEventListener("abort", () => watcher.close(), { once: true });
  await watcher.start();
  if (signal.aborted) watcher.close();
}

/** Notifies when a file changes or is replaced, and once when it is watched. */
export function watchFile(file: string, notify: NotifyChange, signal: AbortSignal): Promise<void> {
  const path = resolve(file);
  // Watches the directory, because the watch of a file ends when the file is replaced.
  const watcher = watch(dirname(path), (_, name) => {
    if (name === basename(path)) notify();
  });
  watcher.on("error", () => notify());
  signal.addEventListener("abort", () => watcher.close(), { once: true });
  notify();
  return Promise.resolve();
}

class DirectoryWatcher {
  readonly #root: string;
  readonly #notify: NotifyChange;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #noticed: (string | undefined)[] = [];
  #parent: FSWatcher | undefined;
  #isClosed = false;
  #isSyncing = false;
  #real: string | undefined;

  constructor(root: string, notify: NotifyChange) {
    this.#root = root;
    this.#notify = notify;
  }

  async start(): Promise<void> {
    // The root may be a symbolic link that is pointed to another directory, or may be created again.
    this.#parent = this.#open(dirname(this.#root), (name) => {
      if (name === null || name === basename(this.#root)) this.#notice();
    });
    await this.#watchAll();
    this.#notify();
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

  /** Notifies after new directories are watched, so that the next reading finds files created in them meanwhile. */
  async #sync(): Promise<void> {
    this.#isSyncing = true;
    while (this.#noticed.length > 0 && !this.#isClosed) {
      const noticed = this.#noticed.splice(0);
      // A directory that cannot be watched was deleted, or the next reading reports the error.
      await this.#watchAll().catch(() => undefined);
      if (noticed.length > mostEvents) this.#notify();
      for (const directory of new Set(noticed)) this.#notify(this.#pathOf(directory));
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

  #open(directory: string, onEvent: (name: string | null) => void): FSWatcher {
    try {
      const watcher = watch(directory, (_, name) => onEvent(name));
      watcher.on("error", () => {
        watcher.close();
        if (this.#watchers.get(directory) === watcher) this.#watchers.delete(directory);
        this.#notice();
      });
      return watcher;
    } catch (cause) {
      throw explainLimit(cause, directory);
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

function explainLimit(cause: unknown, directory: string): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code !== "ENOSPC" && code !== "EMFILE") return cause;
  return new CommandFailed("the limit of file watches is reached", {
    where: directory,
    next: "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances, or do not watch",
    cause,
  });
}
