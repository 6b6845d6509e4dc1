import { readdir } from "node:fs/promises";
import { join, posix, relative } from "node:path";
import type { LayerEntry } from "./image-layer.ts";

/** The files of a folder of this machine, for the folder `path` of an image. Links are followed. */
export async function folderEntries(path: string, folder: string): Promise<LayerEntry[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const copyOf = join(entry.parentPath, entry.name);
      return { path: posix.join(path, relative(folder, copyOf)), copyOf };
    });
}
