import type { JsonObject } from "#base";
import type { Bundle, Datafile, ResourceFile } from "../bundle.ts";

/** A file that is in one bundle only, or differs between the two. */
export interface FileChange<File> {
  readonly path: string;
  readonly old?: File;
  readonly new?: File;
}

export interface BundleDiff {
  readonly datafiles: readonly FileChange<Datafile>[];
  readonly resources: readonly FileChange<ResourceFile>[];
}

/** The files that changed from one bundle to another, by path. A file whose bytes changed is listed, even if its value is equal. */
export function diffBundles(base: Bundle, head: Bundle): BundleDiff {
  return {
    datafiles: changesOf(base.datafiles, head.datafiles),
    resources: changesOf(base.resources, head.resources),
  };
}

function changesOf<File extends { readonly sha256: string }>(
  base: ReadonlyMap<string, File>,
  head: ReadonlyMap<string, File>,
): FileChange<File>[] {
  const changes: FileChange<File>[] = [];
  for (const path of new Set([...base.keys(), ...head.keys()])) {
    const old = base.get(path);
    const current = head.get(path);
    if (old?.sha256 === current?.sha256) continue;
    changes.push({ path, ...(old && { old }), ...(current && { new: current }) });
  }
  return changes.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The changes between two bundles, in the format of qontract-server. */
export function diffJson(base: Bundle, head: Bundle): JsonObject {
  const { datafiles, resources } = diffBundles(base, head);
  return {
    datafiles: Object.fromEntries(
      datafiles.map((change) => [change.path, datafileJson(change.path, change.old, change.new) ?? {}]),
    ),
    resources: Object.fromEntries(
      resources.map((change) => [change.path, resourceJson(change.path, change.old, change.new) ?? {}]),
    ),
  };
}

/** Both versions of one data file, changed or not; undefined if it is in neither bundle. */
export function datafileJson(
  path: string,
  old: Datafile | undefined,
  current: Datafile | undefined,
): JsonObject | undefined {
  const newest = current ?? old;
  if (newest === undefined) return undefined;
  return {
    datafilepath: path,
    datafileschema: newest.schema ?? null,
    ...(old && { old: contentOf(old) }),
    ...(current && { new: contentOf(current) }),
  };
}

/** The same for a resource. */
export function resourceJson(
  path: string,
  old: ResourceFile | undefined,
  current: ResourceFile | undefined,
): JsonObject | undefined {
  if (old === undefined && current === undefined) return undefined;
  return { resourcepath: path, ...(old && { old: textOf(old) }), ...(current && { new: textOf(current) }) };
}

function contentOf({ path, content, sha256 }: Datafile): JsonObject {
  return { ...content, path, $file_sha256sum: sha256 };
}

function textOf({ path, content, sha256, schema }: ResourceFile): JsonObject {
  return { path, content, sha256sum: sha256, $schema: schema ?? null };
}
