import type { Clock, Logger, Secret } from "#base";
import type { Bundle, BundleReading, Queryable } from "../bundle.ts";
import { isServerAddress, openBundleSource } from "../source/open-bundle-source.ts";
import { throwUnreadable } from "../source/tree-source.ts";
import type { BundleValidation, BundleValidator } from "../validate/bundle-validator.ts";
import { openServerSource } from "./server-source.ts";

/** Loads data for queries; each `load` gives the current data. */
export interface QueryableSource {
  readonly description: string;
  /** A running server gives neither a bundle nor its original files. */
  load(signal: AbortSignal): Promise<LoadedData>;
  /** Yields once at the start and after each change; absent if the source cannot be watched. */
  changes?(signal: AbortSignal): AsyncIterable<unknown>;
}

/** A source that can tell whether its data is known before it is parsed. */
export interface ReadableSource extends QueryableSource {
  /** As `load`, but parses no files yet, if that is possible. */
  read(signal: AbortSignal): Promise<UnparsedData>;
}

export type LoadedData = Queryable & {
  readonly bundle?: Bundle;
  readonly find?: BundleReading["find"];
  /** Validates the files as `tenon data validate` does, on the first call. */
  readonly validate?: () => BundleValidation;
};

/** Data whose files are read and may not be parsed yet. */
export interface UnparsedData extends Pick<Queryable, "identity" | "gitCommit" | "gitCommitTimestamp"> {
  /** Where the files are, which messages name; absent if there are none, because a server answers. */
  readonly location?: string;
  /** Rejects if files cannot be used, as `load` does. */
  parse(signal: AbortSignal): Promise<LoadedData>;
}

export interface QueryableSourceOptions {
  /** The location of schemas that are not beside the data. */
  readonly schemas?: string;
  /**
   * Loads data although data files or resources cannot be read, for callers that judge `bundle.unreadable`. What refers to such a file
   * finds nothing there.
   */
  readonly acceptsUnreadable?: boolean;
  /** For a running server. */
  readonly token?: Secret;
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: Logger;
  readonly clock?: Clock;
}

/** The data at a location: a directory, a bundle file, a tree in git, or the address of a running GraphQL server. */
export function openQueryableSource(
  location: string,
  { token, log, clock, acceptsUnreadable = false, ...options }: QueryableSourceOptions = {},
): ReadableSource {
  if (isServerAddress(location)) {
    const server = openServerSource(location, {
      ...(token === undefined ? {} : { token }),
      ...(clock === undefined ? {} : { clock }),
    });
    return { ...server, read: async (signal) => parsedData(await server.load(signal)) };
  }
  const source = openBundleSource(location, options);
  // Kept for all loads: unchanged files are not checked again.
  let validator: BundleValidator | undefined;
  async function use(reading: BundleReading): Promise<LoadedData> {
    // Code that data which is known already does not need.
    const { createQueryable } = await import("./create-queryable.ts");
    const { BundleValidator: Validator } = await import("../validate/bundle-validator.ts");
    const validating = (validator ??= new Validator());
    const accepted = new Set(acceptsUnreadable ? reading.bundle.unreadable?.map(({ error }) => error) : []);
    throwUnreadable(
      source.description,
      reading.problems.filter((problem) => !accepted.has(problem)),
    );
    const queryable = createQueryable(reading.bundle, log === undefined ? {} : { log });
    let validation: BundleValidation | undefined;
    return {
      ...queryable,
      find: (part, path) => reading.find(part, path),
      validate: () => (validation ??= validating.validate(reading.bundle)),
    };
  }
  const load = async (signal: AbortSignal): Promise<LoadedData> => use(await source.read(signal));
  return {
    description: source.description,
    ...(source.changes ? { changes: source.changes.bind(source) } : {}),
    load,
    read: async (signal) => {
      const unparsed = await source.readUnparsed?.(signal);
      // Files that cannot be listed are not part of the identity: parsing the others reports them.
      if (!unparsed || unparsed.problems.length > 0) return parsedData(await load(signal), location);
      return { ...unparsed, location, parse: async (abort) => use(await unparsed.parse(abort)) };
    },
  };
}

function parsedData(data: LoadedData, location?: string): UnparsedData {
  const { identity, gitCommit, gitCommitTimestamp } = data;
  return {
    identity,
    ...(gitCommit !== undefined && { gitCommit }),
    ...(gitCommitTimestamp !== undefined && { gitCommitTimestamp }),
    ...(location !== undefined && { location }),
    parse: async () => data,
  };
}
