import { statSync } from "node:fs";
import { InputError, systemClock } from "#base";
import { gitCache, isRemoteRepository, parseGitLocation } from "#git";
import type { BundleSource } from "../bundle.ts";
import { bundleFileSource } from "./bundle-file.ts";
import { directoryTree } from "./directory-tree.ts";
import type { TreeReader } from "./file-tree.ts";
import { gitTree } from "./git-tree.ts";
import { TreeSource } from "./tree-source.ts";

export interface BundleSourceOptions {
  /** The location of schemas that are not beside the data: a directory, or `REPOSITORY#REF`. */
  readonly schemas?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Whether a directory in a git repository says which commit is checked out, which takes a process. Default: yes. */
  readonly hasCommit?: boolean;
}

/** Whether a location is the address of a running GraphQL server, which answers queries but gives no bundle. */
export function isServerAddress(location: string): boolean {
  return /^https?:\/\/[^#]+\/graphql(sha\/[^/#]+)?\/?$/.test(location);
}

/**
 * The data at a location: a directory, a bundle file, or a tree in git as `REPOSITORY#REF:DIRECTORY`, where the
 * repository is a URL or a local directory.
 */
export function openBundleSource(location: string, options: BundleSourceOptions = {}): BundleSource {
  const tree = openTree(location, options);
  const { schemas } = options;
  if (tree) return new TreeSource(tree, schemas === undefined ? undefined : openSchemas(schemas, options));
  if (schemas !== undefined) {
    throw new InputError("a bundle file contains its own schemas", { where: location, next: "remove --schemas" });
  }
  return bundleFileSource(location);
}

function openSchemas(location: string, options: BundleSourceOptions): TreeReader {
  // Only the commit of the data is ever shown.
  const tree = openTree(location, { ...options, hasCommit: false });
  if (tree) return tree;
  const next = "use the directory that contains schemas/ and graphql-schemas/";
  throw new InputError("expected a directory or git repository of schemas, got a file", {
    where: location,
    next,
  });
}

/** Undefined for a file. */
function openTree(location: string, { env = process.env, hasCommit }: BundleSourceOptions): TreeReader | undefined {
  if (isServerAddress(location)) {
    const next = "use the directory, bundle file or git repository that the server reads";
    throw new InputError("expected files, got the address of a running server", { where: location, next });
  }
  const stats = statSync(location, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return directoryTree(location, systemClock, hasCommit);
  if (stats?.isFile()) return undefined;
  if (isRemoteRepository(location) || location.includes("#")) return gitTree(parseGitLocation(location), gitCache(env));
  throw new InputError("file or directory not found", {
    where: location,
    next: "use a directory, a bundle file, or a git repository as REPOSITORY#REF",
  });
}
