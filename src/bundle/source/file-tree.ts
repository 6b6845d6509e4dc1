import type { InputError } from "#base";
import type { GitCommit } from "#git";

/** A file that was found and not yet read. */
export interface TreeFile {
  /** Below the root, without a leading slash: `data/services/a.yml`. */
  readonly path: string;
  /** Differs whenever the content may differ. */
  readonly version: string | number;
  /** In bytes, if that is known without reading it. */
  readonly size?: number;
}

export type TakeContent = (file: TreeFile, content: Buffer | undefined) => void;

/** A tree of files as it was when listed. */
export interface FileTree {
  /** In the order of their paths. */
  readonly files: readonly TreeFile[];
  /** Files that cannot be used. */
  readonly problems: readonly InputError[];
  readonly commit?: GitCommit;
  /** Calls `take` with each file, in any order; the content is undefined if the file no longer exists. */
  read(files: readonly TreeFile[], take: TakeContent, signal: AbortSignal): Promise<void>;
  /** The name of a file in messages. */
  where(path: string): string;
}

/** Reports a change in a directory, or anywhere. */
export type NotifyChange = (directory?: string) => void;

/** Lists a tree of files as it is now. */
export interface TreeReader {
  /** For messages: `the data directory ./data`. */
  readonly description: string;
  /** With `directories`, reads only those and takes the others as unchanged. */
  list(signal: AbortSignal, directories?: ReadonlySet<string>): Promise<FileTree>;
  /** Notifies once when watching has started, and after every change. Absent if the tree cannot be watched. */
  watch?(notify: NotifyChange, signal: AbortSignal): Promise<void>;
}
