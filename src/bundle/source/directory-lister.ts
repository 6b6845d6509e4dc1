import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { InputError } from "#base";
import type { TreeFile } from "./file-tree.ts";
import { knownFolders } from "./file-role.ts";

/** File systems may store times in steps of two seconds: two changes within that time may have the same time. */
const coarsestClockMs = 2_000;
const entriesBetweenPauses = 512;

export interface DirectoryListing {
  readonly files: readonly TreeFile[];
  readonly problems: readonly InputError[];
}

/** An entry of a directory. */
interface Entry {
  readonly path: string;
  readonly stats: Stats;
  readonly file: TreeFile | undefined;
  /** A later change may not show in its times: it is too recent, or a link to another file. */
  readonly isUncertain: boolean;
}

/** Directory entries, by the path of the directory. */
type Entries = Map<string, readonly Entry[]>;

/**
 * Lists the files below a directory, in the order of their paths. In the next listing, an unchanged file has the same
 * version. The calls are synchronous, because they are many and small: asynchronous ones cost five times as much.
 */
export class DirectoryLister {
  readonly #root: string;
  #directory: string | undefined;
  #entries: Entries = new Map();
  #versions = 0;

  /** `root` is the name in messages. */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * `directory` is the real path of the root, and `now` the time by the clock of the file system.
   * With `changed`, reads only those directories again.
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
    const relevant = hasDataFolder ? top.filter(({ path }) => knownFolders.includes(path)) : top;
    await this.#addAll(relevant, signal);
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
      // Sockets, pipes and devices are skipped: reading them could block.
      else if (stats.isDirectory()) await this.#addAll(this.#entriesOf(path), signal);
    }
  }

  #entriesOf(below: string): readonly Entry[] {
    const { changed, known } = this.#options;
    const before = known.get(below);
    const isTrusted = changed && !changed.has(below) && before?.every(({ isUncertain }) => !isUncertain);
    const entries = isTrusted && before ? before : this.#readDirectory(below, before ?? []);
    this.entries.set(below, entries);
    return entries;
  }

  /** Sorted so that a walk, directory by directory, visits all files in the order of their paths. */
  #readDirectory(below: string, before: readonly Entry[]): readonly Entry[] {
    const known = new Map(before.map((entry) => [entry.path, entry]));
    const entries: (readonly [sortKey: string, entry: Entry])[] = [];
    for (const name of this.#namesIn(below)) {
      if (name.startsWith(".")) continue;
      const path = below === "" ? name : `${below}/${name}`;
      const entry = this.#readEntry(path, known.get(path));
      if (entry) entries.push([entry.stats.isDirectory() ? `${name}/` : name, entry]);
    }
    return entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
  }

  #namesIn(below: string): readonly string[] {
    try {
      return readdirSync(`${this.#options.directory}/${below}`);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      // Deleted since it was listed.
      if (code === "ENOENT" && below !== "") return [];
      if (code !== "EACCES") throw error;
      this.#report(below, "permission denied", "make it readable for this user");
      return [];
    }
  }

  #readEntry(path: string, known: Entry | undefined): Entry | undefined {
    const { directory, freshSince, nextVersion } = this.#options;
    const absolute = `${directory}/${path}`;
    const own = lstatSync(absolute, { throwIfNoEntry: false });
    const isLink = own?.isSymbolicLink() === true;
    const stats = isLink ? this.#follow(path, absolute) : own;
    if (!stats) return undefined;
    if (known && !known.isUncertain && isSame(known.stats, stats)) return known;
    const isFresh = stats.ctimeMs > freshSince || stats.mtimeMs > freshSince;
    const file = stats.isFile() ? { path, version: nextVersion(), size: stats.size } : undefined;
    return { path, stats, file, isUncertain: isLink || (isFresh && file !== undefined) };
  }

  /** A link counts as its target file. */
  #follow(path: string, absolute: string): Stats | undefined {
    const stats = statSync(absolute, { throwIfNoEntry: false });
    if (!stats) {
      this.#report(path, "broken symbolic link", "fix or delete the link");
    } else if (this.#isOutside(realpathSync(absolute))) {
      const next = "copy the file here; files outside are not read";
      this.#report(path, "symbolic link points outside the data directory", next);
    } else if (stats.isDirectory()) {
      const next = "link to files, or move the directory here";
      this.#report(path, "symbolic links to directories are not followed", next);
    } else {
      return stats;
    }
    return undefined;
  }

  #isOutside(file: string): boolean {
    const target = relative(this.#options.directory, file);
    return target === ".." || target.startsWith(`..${sep}`);
  }

  #report(path: string, what: string, next: string): void {
    this.problems.push(new InputError(what, { where: join(this.#options.root, path), next }));
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return (
    one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs && one.size === other.size && one.ino === other.ino
  );
}
