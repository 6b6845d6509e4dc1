import type { InputError } from "#base";
import type { GitCommit } from "#git";

/** A file that was found and not yet read. */
export interface TreeFile {
  /** Below the root, without a leading slash: `data/services/a.yml`. */
  readonly path: string;
  /** Another one whenever the content may be another. */
  readonly version: string | number;
}

export type TakeContent = (file: TreeFile, content: Buffer | undefined) => void;

/** What a tree of files held when it was listed. */
export interface FileTree {
  /** In the order of their paths. */
  readonly files: readonly TreeFile[];
  /** What is there and cannot be used. */
  readonly problems: readonly InputError[];
  readonly commit?: GitCommit;
  /** Hands over each file, in any order; undefined for one that is gone by now. */
  read(files: readonly TreeFile[], take: TakeContent, signal: AbortSignal): Promise<void>;
  /** What to call a file in a message. */
  where(path: string): string;
}

/** Tells that something changed in a directory, or anywhere. */
export type NotifyChange = (directory?: string) => void;

/** Lists a tree of files as it is now. */
export interface TreeReader {
  /** For messages: `the data directory ./data`. */
  readonly description: string;
  /** Looks only into these directories, if they are given, and takes the others to be as before. */
  list(signal: AbortSignal, directories?: ReadonlySet<string>): Promise<FileTree>;
  /** Rings after every change from now on, and once when it has begun to watch. Absent where nobody would tell. */
  watch?(ring: NotifyChange, signal: AbortSignal): Promise<void>;
}
