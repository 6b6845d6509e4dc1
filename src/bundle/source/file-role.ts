import type { FilePart } from "../bundle.ts";

/** What a file is for, and its path within that part. */
export interface FileRole {
  readonly part: FilePart;
  readonly path: string;
}

/** Folders that mean something at the root. */
export const knownFolders: readonly string[] = ["data", "resources", "schemas", "graphql-schemas"];

/** Where the GraphQL description is. */
export const descriptionFile = "graphql-schemas/schema.yml";

const parsed = /\.(ya?ml|json)$/;

/**
 * Undefined for files that nobody reads. A root without `data/` is itself the tree of data files, beside the other known
 * folders: so a user may start with a directory that holds nothing but data.
 */
export function findFileRole(path: string, hasDataFolder: boolean): FileRole | undefined {
  if (path === descriptionFile) return { part: "description", path: `/${path}` };
  const folder = path.slice(0, Math.max(0, path.indexOf("/")));
  if (folder === "resources") return { part: "resources", path: path.slice(folder.length) };
  if (!parsed.test(path)) return undefined;
  if (folder === "data" || folder === "schemas") return { part: folder, path: path.slice(folder.length) };
  return hasDataFolder || folder === "graphql-schemas" ? undefined : { part: "data", path: `/${path}` };
}
