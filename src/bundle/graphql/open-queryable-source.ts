import type { Clock, Logger, Secret } from "#base";
import type { Bundle, BundleReading, Queryable } from "../bundle.ts";
import { isServerAddress, openBundleSource } from "../source/open-bundle-source.ts";
import { throwUnreadable } from "../source/tree-source.ts";
import { createQueryable } from "./create-queryable.ts";
import { openServerSource } from "./server-source.ts";

/** Gives what can be asked; `load` again gives what is there then. */
export interface QueryableSource {
  readonly description: string;
  /** Only a server that runs elsewhere gives no bundle, and nothing of the files that it was read from. */
  load(signal: AbortSignal): Promise<LoadedData>;
  /** Yields after something changed, and at once; absent where nobody would tell. */
  changes?(signal: AbortSignal): AsyncIterable<unknown>;
}

export type LoadedData = Queryable & { readonly bundle?: Bundle; readonly find?: BundleReading["find"] };

export interface QueryableSourceOptions {
  /** Where schemas are, if not beside the data. */
  readonly schemas?: string;
  /** For a server. */
  readonly token?: Secret;
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: Logger;
  readonly clock?: Clock;
}

/** The data at a location: a directory, a bundle file, a tree in git, or the address of a running GraphQL server. */
export function openQueryableSource(
  location: string,
  { token, log, clock, ...options }: QueryableSourceOptions = {},
): QueryableSource {
  if (isServerAddress(location)) {
    return openServerSource(location, {
      ...(token === undefined ? {} : { token }),
      ...(clock === undefined ? {} : { clock }),
    });
  }
  const source = openBundleSource(location, options);
  return {
    description: source.description,
    ...(source.changes ? { changes: source.changes.bind(source) } : {}),
    load: async (signal) => {
      const reading = await source.read(signal);
      throwUnreadable(source.description, reading.problems);
      const queryable = createQueryable(reading.bundle, log === undefined ? {} : { log });
      return { ...queryable, find: (part, path) => reading.find(part, path) };
    },
  };
}
