import type { FilePart } from "../bundle.ts";

/** The part of the data repository that a file belongs to, and its path within that part. */
export interface FileRole {
  readonly part: FilePart;
  readonly path: string;
}

/** Folders with a meaning at the root. */
export const knownFolders: readonly string[] = ["data", "resources", "schemas", "graphql-schemas"];

/** The path of the GraphQL description. */
export const descriptionFile = "graphql-schemas/schema.yml";
/** Its path in a bundle. */
export const descriptionPath = `/${descriptionFile}`;

const parsed = /\.(ya?ml|json)$/;

/**
 * Undefined for files that are not read. A root without `data/` is itself the tree of data files, beside the other known
 * folders, so that a user can start with a directory of data files.
 */
export function findFileRole(path: string, hasDataFolder: boolean): FileRole | undefined {
  if (path === descriptionFile) return { part: "description", path: descriptionPath };
  const folder = path.slice(0, Math.max(0, path.indexOf("/")));
  if (folder === "resources") return { part: "resources", path: path.slice(folder.length) };
  if (!parsed.test(path)) return undefined;
  if (folder === "data" || folder === "schemas") return { part: folder, path: path.slice(folder.length) };
  return hasDataFolder || folder === "graphql-schemas" ? undefined : { part: "data", path: `/${path}` };
}
