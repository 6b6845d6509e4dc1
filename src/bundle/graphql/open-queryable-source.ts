import type { Clock, Logger, Secret } from "#base";
import type { Bundle, BundleReading, Queryable } from "../bundle.ts";
import { isServerAddress, openBundleSource } from "../source/open-bundle-source.ts";
import { throwUnreadable } from "../source/tree-source.ts";
import { createQueryable } from "./create-queryable.ts";
import { type BundleValidation, BundleValidator } from "../validate/bundle-validator.ts";
import { openServerSource } from "./server-source.ts";

/** Loads data for queries; each `load` gives the current data. */
export interface QueryableSource {
  readonly description: string;
  /** A running server gives neither a bundle nor its original files. */
  load(signal: AbortSignal): Promise<LoadedData>;
  /** Yields once at the start and after each change; absent if the source cannot be watched. */
  changes?(signal: AbortSignal): AsyncIterable<unknown>;
}

export type LoadedData = Queryable & {
  readonly bundle?: Bundle;
  readonly find?: BundleReading["find"];
  /** Validates the files as `tenon data validate` does, on the first call. */
  readonly validate?: () => BundleValidation;
};

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
): QueryableSource {
  if (isServerAddress(location)) {
    return openServerSource(location, {
      ...(token === undefined ? {} : { token }),
      ...(clock === undefined ? {} : { clock }),
    });
  }
  const source = openBundleSource(location, options);
  // Kept for all loads: unchanged files are not checked again.
  const validator = new BundleValidator();
  return {
    description: source.description,
    ...(source.changes ? { changes: source.changes.bind(source) } : {}),
    load: async (signal) => {
      const reading = await source.read(signal);
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
        validate: () => (validation ??= validator.validate(reading.bundle)),
      };
    },
  };
}
