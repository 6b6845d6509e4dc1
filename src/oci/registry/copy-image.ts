import { Semaphore } from "#base";
import { type Companion, type CompanionTree, describeCompanion, readCompanions } from "./companions.ts";
import { formatRepository, type ImageReference, parseTag } from "./image-reference.ts";
import { readImageTree, type TreeNode } from "./image-tree.ts";
import { type Descriptor, isIndex, type Manifest } from "./manifest-content.ts";
import { fetchManifest, writeManifest } from "./manifests.ts";
import { missingCompanions } from "./missing-companions.ts";
import type { ClientPair, Registries } from "./open-registries.ts";
import { planTagMove, type TagFacts, type TagMove } from "./plan-tag-move.ts";
import { addTaggedReferrers, listReferrers, referrerDescriptor } from "./referrers.ts";
import { requireManifest, requireReference, type TagOutcome, writeTag } from "./retag.ts";
import { type CopyProgress, type TransferCounts, transferBlobs } from "./transfer-blobs.ts";

export interface CopyOptions {
  readonly source: ImageReference;
  /** Without a tag the image is copied by its digest alone. */
  readonly target: Omit<ImageReference, "digest">;
  /** What the caller knows about the tag of the target. */
  readonly guards?: Pick<TagFacts, "expected" | "isImmutable" | "newer">;
  /** Leaves out signatures, attestations and SBOMs. */
  readonly skipsCompanions?: boolean;
  /** Compares every companion, where the target has the image already; otherwise only which ones there are. */
  readonly isThorough?: boolean;
  /** Only reads. */
  readonly isDryRun?: boolean;
  readonly onProgress?: (progress: CopyProgress) => void;
}

/** What a copy did, or would do. */
export interface CopyResult extends TransferCounts {
  readonly digest: string;
  /** What became of the tag; undefined if the target has none. */
  readonly tag: TagOutcome | undefined;
  /** All companions that were found; of a target that was complete, none are read. */
  readonly companions: readonly Companion[];
  /** Manifests that were written, the image itself and its companions. */
  readonly manifests: number;
}

const atOnce = 8;
const nothingMoved: TransferCounts = { mounted: 0, uploaded: 0, present: 0, uploadedBytes: 0 };

/** What has to be written: blobs first, then manifests, children and companions before the image. */
interface CopyWork {
  readonly nodes: readonly TreeNode[];
  readonly companions: readonly CompanionTree[];
}

/**
 * Copies an image with all its platforms, and what hangs on it and on each of them, to another repository, of the same
 * registry or another. Bytes are verified on the way; the tag is written last, so that a copy that breaks off leaves none.
 */
export async function copyImage(
  registries: Registries,
  options: CopyOptions,
  signal: AbortSignal,
): Promise<CopyResult> {
  const { source: image, target, guards = {}, isDryRun = false } = options;
  requireReference(image);
  if (target.tag !== undefined) parseTag(target.tag);
  const clients = registries.clients(image, target, isDryRun ? "pull" : "pull,push");
  const isSameRepository = formatRepository(image) === formatRepository(target);
  let root = image.digest === undefined ? await requireManifest(clients.source, image, signal) : undefined;
  const digest = root?.digest ?? image.digest ?? "";
  const present = await fetchManifest(clients.target, target.tag ?? digest, signal);
  const move =
    target.tag === undefined
      ? undefined
      : planTagMove({ ...guards, tag: target.tag, current: present?.digest, target: digest });
  const result = { digest, tag: move, companions: [], manifests: 0, ...nothingMoved };
  if (move?.action === "refuse") return result;

  let work: CopyWork;
  if (present?.digest === digest) {
    const companions =
      options.skipsCompanions || isSameRepository
        ? []
        : await missingCompanions(clients, present, options.isThorough ?? false, signal);
    if (companions.length === 0) return result;
    work = { nodes: [], companions };
  } else {
    root ??= await requireManifest(clients.source, image, signal);
    const nodes = isSameRepository ? [] : await readImageTree(clients.source, root, signal);
    const digests = nodes.map(({ manifest }) => manifest.digest).toReversed();
    const companions = options.skipsCompanions ? [] : await readCompanions(clients.source, digests, signal);
    work = { nodes, companions };
  }
  const companions = work.companions.map(describeCompanion);
  if (isDryRun) return { ...result, companions, manifests: countManifests(work) };
  const transfer = await transferBlobs(clients, blobsOf(work), options.onProgress, signal);
  await writeManifests(clients, work, digest, signal);
  const tag = move && root && move.action !== "keep" ? await tagged(clients, move, root, signal) : move;
  if (root && target.tag === undefined && !isSameRepository) {
    await writeManifest(clients.target, digest, root, signal);
  }
  return { ...result, ...transfer, tag, companions, manifests: countManifests(work) };
}

async function tagged({ target }: ClientPair, move: TagMove, root: Manifest, signal: AbortSignal): Promise<TagOutcome> {
  const error = await writeTag(target, move, root, signal);
  return error ? { ...move, error } : move;
}

function countManifests({ nodes, companions }: CopyWork): number {
  return nodes.length + companions.reduce((sum, companion) => sum + companion.nodes.length, 0);
}

function blobsOf({ nodes, companions }: CopyWork): readonly Descriptor[] {
  const all = [...nodes, ...companions.flatMap((companion) => companion.nodes)].flatMap(({ content }) => content.blobs);
  return [...new Map(all.map((blob) => [blob.digest, blob])).values()];
}

/** Everything but the image itself, which is written under its tag, last. */
async function writeManifests(
  { target }: ClientPair,
  { nodes, companions }: CopyWork,
  root: string,
  signal: AbortSignal,
): Promise<void> {
  const slots = new Semaphore(atOnce);
  const write = (reference: string, manifest: Manifest) =>
    slots.run(() => writeManifest(target, reference, manifest, signal), signal);
  await writeChildren(
    nodes.filter(({ manifest }) => manifest.digest !== root),
    write,
  );
  const unlisted = new Map<string, Descriptor[]>();
  await Promise.all(
    companions.map(async ({ nodes: own, tag, digest }) => {
      const [top] = own.slice(-1);
      if (top === undefined) return;
      await writeChildren(own.slice(0, -1), write);
      const { isReferrer } = await write(tag ?? digest, top.manifest);
      const subject = top.content.subject?.digest;
      if (subject === undefined || isReferrer) return;
      unlisted.set(subject, [...(unlisted.get(subject) ?? []), referrerDescriptor(top.manifest, top.content)]);
    }),
  );
  for (const [subject, descriptors] of unlisted) {
    // A registry with the API lists them itself, even if it does not say so in its answers.
    if (await listReferrers(target, subject, signal)) continue;
    await addTaggedReferrers(target, subject, descriptors, signal);
  }
}

/** Images at once, then indexes in order: a registry refuses an index whose children it does not have. */
async function writeChildren(
  nodes: readonly TreeNode[],
  write: (reference: string, manifest: Manifest) => Promise<unknown>,
): Promise<void> {
  const [indexes, images] = [true, false].map((wanted) =>
    nodes.filter(({ manifest }) => isIndex(manifest.mediaType) === wanted),
  );
  await Promise.all((images ?? []).map(({ manifest }) => write(manifest.digest, manifest)));
  for (const { manifest } of indexes ?? []) await write(manifest.digest, manifest);
}
