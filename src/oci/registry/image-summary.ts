import { z } from "zod";
import { compareText } from "#base";
import { readWholeBlob } from "./blobs.ts";
import { type Companion, describeCompanion, readCompanions } from "./companions.ts";
import type { ImageReference } from "./image-reference.ts";
import { readImageTree, type TreeNode } from "./image-tree.ts";
import { type Descriptor, isIndex, type Manifest } from "./manifest-content.ts";
import type { Registries } from "./open-registries.ts";
import type { RepositoryClient } from "./repository-client.ts";
import { requireManifest } from "./retag.ts";

/** One platform of an image. */
export interface PlatformSummary {
  /** Like `linux/arm64/v8`; undefined for an entry that is not a program, such as an attestation inside an index. */
  readonly platform: string | undefined;
  readonly digest: string;
  /** Of config and layers, as they are stored. */
  readonly bytes: number;
}

/** What an image is, without what hangs on it. */
export interface ImageFacts {
  readonly digest: string;
  readonly mediaType: string;
  readonly platforms: readonly PlatformSummary[];
  readonly config: ImageConfig;
}

/** What a registry knows about an image. */
export interface ImageSummary extends ImageFacts {
  readonly companions: readonly Companion[];
}

/** The parts of an image's configuration that say where it came from. An index has those of its first platform by name. */
export interface ImageConfig {
  readonly created?: string;
  readonly labels: Readonly<Record<string, string>>;
}

const ConfigSchema = z.looseObject({
  created: z.string().optional(),
  os: z.string().optional(),
  architecture: z.string().optional(),
  variant: z.string().optional(),
  config: z.looseObject({ Labels: z.record(z.string(), z.string()).nullish() }).nullish(),
});
type Config = z.infer<typeof ConfigSchema>;

const largestConfig = 8 * 2 ** 20;

/** Reads an image: digest, platforms, labels, and what hangs on it. An InputError if there is no such image. */
export async function inspectImage(
  registries: Registries,
  image: ImageReference,
  signal: AbortSignal,
): Promise<ImageSummary> {
  const client = registries.client(image, "pull");
  const root = await requireManifest(client, image, signal);
  const nodes = await readImageTree(client, root, signal);
  const companions = await readCompanions(client, nodes.map(({ manifest }) => manifest.digest).toReversed(), signal);
  return { ...(await readFacts(client, root, nodes, signal)), companions: companions.map(describeCompanion) };
}

/** Reads an image: digest, platforms and labels. An InputError if there is no such image. */
export async function readImageFacts(
  registries: Registries,
  image: ImageReference,
  signal: AbortSignal,
): Promise<ImageFacts> {
  const client = registries.client(image, "pull");
  const root = await requireManifest(client, image, signal);
  return await readFacts(client, root, await readImageTree(client, root, signal), signal);
}

async function readFacts(
  client: RepositoryClient,
  root: Manifest,
  nodes: readonly TreeNode[],
  signal: AbortSignal,
): Promise<ImageFacts> {
  const named = namePlatforms(nodes);
  const [first] = named.toSorted((one, other) => compareText(one.platform ?? "~", other.platform ?? "~"));
  const config = first?.node.content.config;
  const read = config === undefined ? {} : await readConfig(client, config, signal);
  const platforms = named.map(({ node, platform }) => ({
    platform: platform ?? (isIndex(root.mediaType) ? undefined : platformOf(read)),
    digest: node.manifest.digest,
    bytes: node.content.blobs.reduce((sum, { size }) => sum + size, 0),
  }));
  return {
    digest: root.digest,
    mediaType: root.mediaType,
    platforms,
    config: { ...(read.created === undefined ? {} : { created: read.created }), labels: read.config?.Labels ?? {} },
  };
}

interface NamedNode {
  readonly node: TreeNode;
  readonly platform: string | undefined;
}

/** The images of a tree, with the platforms that its indexes give them. */
function namePlatforms(nodes: readonly TreeNode[]): readonly NamedNode[] {
  const descriptors = new Map(nodes.flatMap(({ content }) => content.children.map((child) => [child.digest, child])));
  return nodes
    .filter(({ manifest }) => !isIndex(manifest.mediaType))
    .map((node) => ({ node, platform: platformOf(descriptors.get(node.manifest.digest)?.platform ?? {}) }));
}

/** Build tools store attestations in an index as images for the platform unknown/unknown. */
function platformOf({
  os,
  architecture,
  variant,
}: Pick<Config, "os" | "architecture" | "variant">): string | undefined {
  if (os === undefined || architecture === undefined || os === "unknown") return undefined;
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join("/");
}

async function readConfig(client: RepositoryClient, blob: Descriptor, signal: AbortSignal): Promise<Config> {
  const bytes = await readWholeBlob(client, blob, largestConfig, signal);
  try {
    return ConfigSchema.parse(JSON.parse(bytes.toString()));
  } catch {
    // The config of an artifact may be anything.
    return {};
  }
}
