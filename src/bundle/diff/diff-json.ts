import type { JsonObject } from "#base";
import type { Bundle, Datafile, ResourceFile } from "../bundle.ts";
import { diffBundles } from "./diff-bundles.ts";

/** What changed between two bundles, in the shape that clients of qontract-server read. */
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

/** Both versions of one data file, changed or not; undefined when it is in neither bundle. */
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
