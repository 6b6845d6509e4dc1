import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, posix, relative } from "node:path";
import type { ImageLayer, LayerEntry } from "./image-layer.ts";
import { programEntries } from "./program-entries.ts";

/** The path of Node in a runtime layer. */
export const nodePath = "/usr/local/bin/node";

/** Node with its libraries, without a shell. An entrypoint starts with `nodePath`. */
export async function nodeRuntimeLayer(nodeBinary: string = process.execPath): Promise<ImageLayer> {
  return {
    comment: `Node ${process.version}`,
    entries: [...(await baseEntries()), ...(await programEntries({ [nodePath]: nodeBinary }))],
  };
}

/**
 * git with what fetches by https and what signs commits, on top of `below`, whose files are not repeated. For ssh it would need
 * a shell; everything else of git is for people.
 */
export async function gitLayer(below: ImageLayer): Promise<ImageLayer> {
  const helpers = "/usr/lib/git-core";
  const there = new Set(below.entries.map(({ path }) => path));
  const programs = await programEntries(["/usr/bin/git", `${helpers}/git-remote-http`, "/usr/bin/ssh-keygen"]);
  return {
    comment: "git",
    entries: [
      ...programs.filter(({ path }) => !there.has(path)),
      { path: `${helpers}/git-remote-https`, linkTo: "git-remote-http" },
    ],
  };
}

/** The user without rights, with the same id as in distroless images. */
export const unprivilegedUser = 65532;

const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** Files that programs expect on any system: users, host name lookup, certificates, /tmp. */
export async function baseEntries(): Promise<LayerEntry[]> {
  const user = `tenon:x:${unprivilegedUser}:${unprivilegedUser}:Tenon:/home/tenon:/sbin/nologin\n`;
  return [
    { path: "/etc/passwd", contents: `root:x:0:0:root:/root:/sbin/nologin\n${user}` },
    { path: "/etc/group", contents: `root:x:0:\ntenon:x:${unprivilegedUser}:\n` },
    { path: "/etc/nsswitch.conf", contents: "passwd: files\ngroup: files\nhosts: files dns\n" },
    { path: "/home/tenon", directory: true, owner: unprivilegedUser },
    { path: "/tmp", directory: true, mode: 0o1777 },
    // Node has its own certificates; git and others read these.
    ...(existsSync(certificates) ? [{ path: certificates, copyOf: certificates, mode: 0o644 }] : []),
  ];
}

/** The files of a folder of this machine as entries below `path`. Links are followed. */
export async function folderEntries(path: string, folder: string): Promise<LayerEntry[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const copyOf = join(entry.parentPath, entry.name);
      return { path: posix.join(path, relative(folder, copyOf)), copyOf };
    });
}
