import type { InputError, JsonObject, JsonValue } from "#base";
import type { YamlSurprise } from "#yaml";
import type { TypeDescription } from "./type-description.ts";

/** A parsed data file: its content as plain JSON values. `path` is not in `content`; the query layer adds it. */
export interface Datafile {
  /** Below the data tree, with a leading slash: `/services/a/app.yml`. */
  readonly path: string;
  /** Its `$schema`, with a leading slash. */
  readonly schema: string | undefined;
  readonly content: JsonObject;
  /** The content as written, if `content` is a normalized form of it. */
  readonly written?: JsonObject;
  readonly sha256: string;
  /** Values that may not be what the author meant, such as a date without quotes. */
  readonly surprises?: readonly YamlSurprise[];
  /** The file name for messages; undefined if it came from a bundle file. */
  readonly file?: string;
}

/** A file that data files refer to by path. It is not parsed: most are templates. */
export interface ResourceFile {
  readonly path: string;
  readonly content: string;
  readonly sha256: string;
  readonly schema: string | undefined;
  readonly file?: string;
}

/** A file that exists and cannot be read, such as YAML with an error. */
export interface UnreadableFile {
  readonly part: "data" | "resources";
  readonly path: string;
  readonly error: InputError;
  /** What its lines say by themselves, as far as they can be read: `$schema`, `name`, and which fields it has. */
  readonly sketch: Datafile;
}

/** All data at one moment, read but not validated. Immutable: a reload gives another bundle. */
export interface Bundle {
  /** Hash of the content: two bundles with the same identity are equal. */
  readonly identity: string;
  /** By path. Their order is the order in which backward references list them. */
  readonly datafiles: ReadonlyMap<string, Datafile>;
  readonly resources: ReadonlyMap<string, ResourceFile>;
  /** Data files and resources that are missing above. */
  readonly unreadable?: readonly UnreadableFile[];
  /** JSON schemas by path. */
  readonly schemas: ReadonlyMap<string, JsonValue>;
  /** The GraphQL description as it was given, if there was one besides the built-in. */
  readonly description?: GivenDescription;
  /** The GraphQL schema is built from these. */
  readonly types: readonly TypeDescription[];
  readonly gitCommit?: string;
  /** Unix seconds, as text. */
  readonly gitCommitTimestamp?: string;
}

export interface GivenDescription {
  readonly value: JsonValue;
  /** Why no types could be made of it. */
  readonly error?: InputError;
}

/** The part of a data repository that a file belongs to. */
export type FilePart = "data" | "resources" | "schemas" | "description";

/** The file that a part of a bundle was read from. */
export interface OriginalFile {
  /** Its name in messages. */
  readonly file: string;
  /** Undefined if the file has changed since it was read. */
  text(signal: AbortSignal): Promise<string | undefined>;
}

/** A bundle of the files that could be read, and an error for each of the others. */
export interface BundleReading {
  readonly bundle: Bundle;
  readonly problems: readonly InputError[];
  /** Finds the original, for line numbers. Undefined for built-in schemas and for content of a bundle file. */
  find(part: FilePart, path: string): OriginalFile | undefined;
}

/** A bundle whose files are read and not parsed: enough to tell whether it is one that is known. */
export interface UnparsedBundle extends Pick<Bundle, "identity" | "gitCommit" | "gitCommitTimestamp"> {
  /** Of files that cannot be listed. The same files, with the same identity, may have more when they are parsed. */
  readonly problems: readonly InputError[];
  parse(signal: AbortSignal): Promise<BundleReading>;
}

/** What changed since the last notification: per file tree of the source, the directories if they are known. */
export type SourceChanges = readonly (ReadonlySet<string> | "everything")[];

/** Loads bundles. Loading again parses only what changed. */
export interface BundleSource {
  /** For messages: `the data directory ./data`. */
  readonly description: string;
  /** Rejects if any file cannot be read. Reads only the changed directories if `changes` is given. */
  load(signal: AbortSignal, changes?: SourceChanges): Promise<Bundle>;
  /** As `load`, but leaves out files that cannot be read. */
  read(signal: AbortSignal, changes?: SourceChanges): Promise<BundleReading>;
  /** As `read`, but parses nothing yet. Absent if only parsing tells what the files are. */
  readUnparsed?(signal: AbortSignal): Promise<UnparsedBundle>;
  /** Yields once at the start and after each change, debounced. Absent if the source cannot be watched. */
  changes?(signal: AbortSignal): AsyncIterable<SourceChanges>;
}

export interface QueryError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions?: JsonObject;
}

/** An answer as in GraphQL over HTTP. With errors, `data` is incomplete: do not act on it. */
export interface QueryAnswer {
  readonly data?: JsonObject | null;
  readonly errors?: readonly QueryError[];
  readonly extensions?: JsonObject;
}

/** Something that answers queries: a bundle in memory, or a running server. */
export interface Queryable {
  readonly identity: string;
  readonly gitCommit?: string;
  readonly gitCommitTimestamp?: string;
  query(document: string, variables?: JsonObject, signal?: AbortSignal): Promise<QueryAnswer>;
}
