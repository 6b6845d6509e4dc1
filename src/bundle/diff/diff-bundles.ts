import type { Bundle, Datafile, ResourceFile } from "../bundle.ts";

/** A file that is in one bundle only, or has another content in each. */
export interface FileChange<File> {
  readonly path: string;
  readonly old?: File;
  readonly new?: File;
}

export interface BundleDiff {
  readonly datafiles: readonly FileChange<Datafile>[];
  readonly resources: readonly FileChange<ResourceFile>[];
}

/** What changed from one bundle to another, by path. A file whose bytes changed is listed, even if it says the same. */
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
