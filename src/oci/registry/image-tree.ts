import { InputError, Semaphore } from "#base";
import {
  type Descriptor,
  isIndex,
  type Manifest,
  type ManifestContent,
  readManifestContent,
} from "./manifest-content.ts";
import { fetchManifest } from "./manifests.ts";
import type { RepositoryClient } from "./repository-client.ts";

/** A manifest and what it refers to. */
export interface TreeNode {
  readonly manifest: Manifest;
  readonly content: ManifestContent;
}

/** Requests at once that read manifests. */
const atOnce = 8;
/** Indexes in indexes; no image has more. */
const deepest = 4;

/** All manifests of an image, children before the index that lists them. */
export async function readImageTree(
  client: RepositoryClient,
  root: Manifest,
  signal: AbortSignal,
): Promise<readonly TreeNode[]> {
  const slots = new Semaphore(atOnce);
  const seen = new Set<string>();

  async function read(manifest: Manifest, depth: number): Promise<TreeNode[]> {
    const content = readManifestContent(manifest, client.describe(manifest.digest));
    if (!isIndex(manifest.mediaType)) return [{ manifest, content }];
    if (depth === deepest) {
      throw new InputError(`the image has indexes nested deeper than ${deepest} levels`, {
        where: client.describe(root.digest),
      });
    }
    const children = content.children.filter(({ digest }) => !seen.has(digest) && seen.add(digest));
    const nodes = await Promise.all(children.map(async (child) => read(await load(child), depth + 1)));
    return [...nodes.flat(), { manifest, content }];
  }

  async function load({ digest }: Descriptor): Promise<Manifest> {
    const manifest = await slots.run(() => fetchManifest(client, digest, signal), signal);
    if (manifest) return manifest;
    throw new InputError("the index lists an image that is not in the repository", {
      where: client.describe(digest),
      next: "push the image again with all its platforms",
    });
  }

  return await read(root, 0);
}
