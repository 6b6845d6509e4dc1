import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { InputError } from "#base";
import type { TreeFile } from "./file-tree.ts";
import { knownFolders } from "./file-role.ts";

/** A clock of a file system may be as coarse as two seconds; a change within that time of another need not show. */
const coarsestClockMs = 2_000;
const entriesBetweenPauses = 512;

export interface DirectoryListing {
  readonly files: readonly TreeFile[];
  readonly problems: readonly InputError[];
}

/** What a name in a directory stood for. */
interface Entry {
  readonly path: string;
  readonly stats: Stats;
  readonly file: TreeFile | undefined;
  /** A later change might not show in its stamps: because it is too recent, or because it is a link to another file. */
  readonly isUncertain: boolean;
}

/** What was in the directories, by their paths. */
type Entries = Map<string, readonly Entry[]>;

/**
 * Lists the files below a directory, in the order of their paths, again and again: a file that did not change has the same
 * version as before. Synchronous calls, because they are many and small: asynchronous ones cost five times as much.
 */
export class DirectoryLister {
  readonly #root: string;
  #directory: string | undefined;
  #entries: Entries = new Map();
  #versions = 0;

  /** `root` is for messages. */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * `directory` is where the root really is now, and `now` the time by the clock that files are stamped with.
   * Looks only into the directories `changed`, if there are some.
   */
  async list(
    directory: string,
    now: number,
    changed: ReadonlySet<string> | undefined,
    signal: AbortSignal,
  ): Promise<DirectoryListing> {
    const isMoved = directory !== this.#directory;
    const scan = new Scan({
      root: this.#root,
      directory,
      freshSince: now - coarsestClockMs,
      changed: isMoved ? undefined : changed,
      known: isMoved ? new Map() : this.#entries,
      nextVersion: () => ++this.#versions,
    });
    await scan.start(signal);
    this.#directory = directory;
    this.#entries = scan.entries;
    return scan;
  }
}

interface ScanOptions {
  readonly root: string;
  readonly directory: string;
  readonly freshSince: number;
  readonly changed: ReadonlySet<string> | undefined;
  readonly known: Entries;
  readonly nextVersion: () => number;
}

class Scan implements DirectoryListing {
  readonly files: TreeFile[] = [];
  readonly problems: InputError[] = [];
  readonly entries: Entries = new Map();
  readonly #options: ScanOptions;
  #sincePause = 0;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  async start(signal: AbortSignal): Promise<void> {
    const top = this.#entriesOf("");
    const hasDataFolder = top.some(({ path, stats }) => path === "data" && stats.isDirectory());
    const wanted = hasDataFolder ? top.filter(({ path }) => knownFolders.includes(path)) : top;
    await this.#addAll(wanted, signal);
  }

  async #addAll(entries: readonly Entry[], signal: AbortSignal): Promise<void> {
    this.#sincePause += entries.length;
    if (this.#sincePause > entriesBetweenPauses) {
      this.#sincePause = 0;
      await setImmediate();
      signal.throwIfAborted();
    }
    for (const { path, file, stats } of entries) {
      if (file) this.files.push(file);
      // A socket, pipe or device is none of both, and would keep a reader waiting.
      else if (stats.isDirectory()) await this.#addAll(this.#entriesOf(path), signal);
    }
  }

  #entriesOf(below: string): readonly Entry[] {
    const { changed, known } = this.#options;
    const before = known.get(below);
    const isTrusted = changed && !changed.has(below) && before?.every(({ isUncertain }) => !isUncertain);
    const entries = isTrusted && before ? before : this.#lookInto(below, before ?? []);
    this.entries.set(below, entries);
    return entries;
  }

  /** Sorted so that a walk, directory by directory, meets all files in the order of their paths. */
  #lookInto(below: string, before: readonly Entry[]): readonly Entry[] {
    const known = new Map(before.map((entry) => [entry.path, entry]));
    const entries: (readonly [sortKey: string, entry: Entry])[] = [];
    for (const name of this.#namesIn(below)) {
      if (name.startsWith(".")) continue;
      const path = below === "" ? name : `${below}/${name}`;
      const entry = this.#look(path, known.get(path));
      if (entry) entries.push([entry.stats.isDirectory() ? `${name}/` : name, entry]);
    }
    return entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
  }

  #namesIn(below: string): readonly string[] {
    try {
      return readdirSync(`${this.#options.directory}/${below}`);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      // Deleted since it was seen.
      if (code === "ENOENT" && below !== "") return [];
      if (code !== "EACCES") throw error;
      this.#refuse(below, "may not be read", "give yourself the right to read it");
      return [];
    }
  }

  #look(path: string, known: Entry | undefined): Entry | undefined {
    const { directory, freshSince, nextVersion } = this.#options;
    const absolute = `${directory}/${path}`;
    const own = lstatSync(absolute, { throwIfNoEntry: false });
    const isLink = own?.isSymbolicLink() === true;
    const stats = isLink ? this.#follow(path, absolute) : own;
    if (!stats) return undefined;
    if (known && !known.isUncertain && isSame(known.stats, stats)) return known;
    const isFresh = stats.ctimeMs > freshSince || stats.mtimeMs > freshSince;
    const file = stats.isFile() ? { path, version: nextVersion() } : undefined;
    return { path, stats, file, isUncertain: isLink || (isFresh && file !== undefined) };
  }

  /** A link counts as the file it leads to. */
  #follow(path: string, absolute: string): Stats | undefined {
    const stats = statSync(absolute, { throwIfNoEntry: false });
    if (!stats) {
      this.#refuse(path, "is a symbolic link that leads nowhere", "repair or delete the link");
    } else if (this.#isOutside(realpathSync(absolute))) {
      const next = "copy the file to here; what is outside is not read";
      this.#refuse(path, "is a symbolic link that leads out of the data directory", next);
    } else if (stats.isDirectory()) {
      const next = "link to files, or move the directory here";
      this.#refuse(path, "is a symbolic link to a directory, which is not followed", next);
    } else {
      return stats;
    }
    return undefined;
  }

  #isOutside(file: string): boolean {
    const target = relative(this.#options.directory, file);
    return target === ".." || target.startsWith(`..${sep}`);
  }

  #refuse(path: string, what: string, next: string): void {
    this.problems.push(new InputError(what, { where: join(this.#options.root, path), next }));
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return (
    one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs && one.size === other.size && one.ino === other.ino
  );
}
