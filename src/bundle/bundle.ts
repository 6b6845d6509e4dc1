import type { InputError, JsonObject, JsonValue } from "#base";
import type { TypeDescription } from "./type-description.ts";

/** A parsed data file: its content as plain JSON values. `path` is not in `content`; the query layer adds it. */
export interface Datafile {
  /** Below the data tree, with a leading slash: `/services/a/app.yml`. */
  readonly path: string;
  /** Its `$schema`, with a leading slash. */
  readonly schema: string | undefined;
  readonly content: JsonObject;
  /** What the file says, where `content` is a newer form of it. */
  readonly written?: JsonObject;
  readonly sha256: string;
  /** What messages call it; unknown when it came from a bundle file. */
  readonly file?: string;
}

/** A file that data files refer to, and nobody parses: most are templates. */
export interface ResourceFile {
  readonly path: string;
  readonly content: string;
  readonly sha256: string;
  readonly schema: string | undefined;
  readonly file?: string;
}

/** All data of one moment, read and not yet judged. Immutable: a reload gives another bundle. */
export interface Bundle {
  /** Two bundles with the same identity say the same. */
  readonly identity: string;
  /** By path. Their order is the order in which backward references list them. */
  readonly datafiles: ReadonlyMap<string, Datafile>;
  readonly resources: ReadonlyMap<string, ResourceFile>;
  /** JSON schemas by path. */
  readonly schemas: ReadonlyMap<string, JsonValue>;
  /** What the GraphQL schema is made from. */
  readonly types: readonly TypeDescription[];
  readonly gitCommit?: string;
  /** Unix seconds, as text. */
  readonly gitCommitTimestamp?: string;
}

/** What a file of a data repository is for. */
export type FilePart = "data" | "resources" | "schemas" | "description";

/** Where something of a bundle was written. */
export interface OriginalFile {
  /** What messages call it. */
  readonly file: string;
  /** Undefined when it is not the one any more that was read. */
  text(signal: AbortSignal): Promise<string | undefined>;
}

/** A bundle of the files that could be read, and what is wrong with the others. */
export interface BundleReading {
  readonly bundle: Bundle;
  readonly problems: readonly InputError[];
  /** For line numbers. Undefined for what is built in, or came in a bundle file. */
  find(part: FilePart, path: string): OriginalFile | undefined;
}

/** Where something changed since the last one: for each tree of files of a source the directories, if only some did. */
export type SourceChanges = readonly (ReadonlySet<string> | "everything")[];

/** Gives bundles; reading again parses only what changed. */
export interface BundleSource {
  /** For messages: `the data directory ./data`. */
  readonly description: string;
  /** Rejects when any file cannot be read. Looks only where something changed, if told where. */
  load(signal: AbortSignal, changes?: SourceChanges): Promise<Bundle>;
  /** As `load`, but goes on without the files that cannot be read. */
  read(signal: AbortSignal, changes?: SourceChanges): Promise<BundleReading>;
  /** Yields after something changed; several changes may be one. The first comes at once. Absent where nobody would tell. */
  changes?(signal: AbortSignal): AsyncIterable<SourceChanges>;
}

export interface QueryError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions?: JsonObject;
}

/** As GraphQL answers over HTTP. An answer with errors may have data: do not act on it unless you know which part is whole. */
export interface QueryAnswer {
  readonly data?: JsonObject | null;
  readonly errors?: readonly QueryError[];
  readonly extensions?: JsonObject;
}

/** What can be asked: a bundle in memory, or a running server. */
export interface Queryable {
  readonly identity: string;
  readonly gitCommit?: string;
  readonly gitCommitTimestamp?: string;
  query(document: string, variables?: JsonObject, signal?: AbortSignal): Promise<QueryAnswer>;
}
