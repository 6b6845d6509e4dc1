import type { Clock, Logger, Secret } from "#base";
import type { Bundle, Queryable } from "../bundle.ts";
import { isServerAddress, openBundleSource } from "../source/open-source.ts";
import { createQueryable } from "./create-queryable.ts";
import { openServer } from "./server-source.ts";

/** Gives what can be asked; `load` again gives what is there then. */
export interface QueryableSource {
  readonly description: string;
  /** Only a server that runs elsewhere gives no bundle. */
  load(signal: AbortSignal): Promise<Queryable & { readonly bundle?: Bundle }>;
}

export interface OpenSourceOptions {
  /** Where schemas are, if not beside the data. */
  readonly schemas?: string;
  /** For a server. */
  readonly token?: Secret;
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: Logger;
  readonly clock?: Clock;
}

/** The data at a location: a directory, a bundle file, a tree in git, or the address of a running GraphQL server. */
export function openSource(
  location: string,
  { token, log, clock, ...options }: OpenSourceOptions = {},
): QueryableSource {
  if (isServerAddress(location)) {
    return openServer(location, {
      ...(token === undefined ? {} : { token }),
      ...(clock === undefined ? {} : { clock }),
    });
  }
  const source = openBundleSource(location, options);
  return {
    description: source.description,
    load: async (signal) => createQueryable(await source.load(signal), log === undefined ? {} : { log }),
  };
}
