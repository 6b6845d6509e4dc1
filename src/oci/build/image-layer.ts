import { stat } from "node:fs/promises";
import { posix } from "node:path";
import { compareText } from "#base";
import type { TarMember } from "./write-tar.ts";

/** A file, link or folder at an absolute path of an image. It belongs to root unless `owner` is set. */
export type LayerEntry =
  | { readonly path: string; readonly contents: string | Uint8Array; readonly mode?: number }
  /** A copy of a file of this machine; without a mode it is executable if the original is. */
  | { readonly path: string; readonly copyOf: string; readonly mode?: number }
  | { readonly path: string; readonly linkTo: string }
  /** For a folder that is empty or needs its own mode or owner; other parent folders are added automatically. */
  | { readonly path: string; readonly directory: true; readonly mode?: number; readonly owner?: number };

/** Files that change together. Equal layers of two images are stored and pulled once. */
export interface ImageLayer {
  /** Appears in the image's history. */
  readonly comment: string;
  readonly entries: readonly LayerEntry[];
}

/**
 * The members of a layer's tar file: its entries and their parent folders, sorted.
 * `folders` are the folders of lower layers: writing them again would reset their mode. Adds the folders of this layer.
 */
export async function layerMembers(layer: ImageLayer, folders: Set<string>): Promise<TarMember[]> {
  const members = new Map<string, TarMember>();
  for (const entry of layer.entries) {
    const name = nameOf(entry.path);
    if (members.has(name)) throw new Error(`layer ${layer.comment} has ${entry.path} twice`);
    members.set(name, await memberOf(name, entry));
  }
  for (const name of members.keys()) {
    for (let folder = posix.dirname(name); folder !== "."; folder = posix.dirname(folder)) {
      if (!members.has(folder) && !folders.has(folder)) members.set(folder, directory(folder, {}));
    }
  }
  for (const { name, kind } of members.values()) if (kind === "directory") folders.add(name);
  return [...members.values()].toSorted((one, other) => compareText(one.name, other.name));
}

async function memberOf(name: string, entry: LayerEntry): Promise<TarMember> {
  if ("linkTo" in entry) return { name, kind: "link", mode: 0o777, size: 0, linkTo: entry.linkTo };
  if ("directory" in entry) return directory(name, entry);
  if ("contents" in entry) {
    const contents = Buffer.from(entry.contents);
    return { name, kind: "file", mode: entry.mode ?? 0o644, size: contents.length, contents };
  }
  const { mode, size } = await stat(entry.copyOf);
  const given = entry.mode ?? ((mode & 0o100) === 0 ? 0o644 : 0o755);
  return { name, kind: "file", mode: given, size, contents: { file: entry.copyOf } };
}

function directory(name: string, { mode = 0o755, owner = 0 }: { mode?: number; owner?: number }): TarMember {
  return { name, kind: "directory", mode, owner, size: 0 };
}

function nameOf(path: string): string {
  const name = posix.normalize(path).replace(/^\/|\/$/g, "");
  if (!path.startsWith("/") || name === "") throw new Error(`${path} is not an absolute path`);
  return name;
}
