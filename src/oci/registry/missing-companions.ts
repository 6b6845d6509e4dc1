import { Semaphore } from "#base";
import { companionTags, type CompanionTree, readCompanions } from "./companions.ts";
import { listTags } from "./list-tags.ts";
import { type Manifest, readManifestContent } from "./manifest-content.ts";
import { resolveManifest } from "./manifests.ts";
import type { ClientPair } from "./open-registries.ts";
import { listReferrers, referrersTag } from "./referrers.ts";

const atOnce = 8;

/**
 * Companions that a target lacks although it has the image: signatures are often added later. Compares the lists of tags of
 * both repositories and the referrers of the image; only where these differ, or if asked, everything is read.
 */
export async function missingCompanions(
  clients: ClientPair,
  root: Manifest,
  isThorough: boolean,
  signal: AbortSignal,
): Promise<readonly CompanionTree[]> {
  const { source, target } = clients;
  const { children } = readManifestContent(root, target.describe(root.digest));
  const digests = [root.digest, ...children.map(({ digest }) => digest)];
  if (!isThorough && (await haveSameCompanions(clients, digests, signal))) return [];
  const found = await readCompanions(source, digests, signal);
  const slots = new Semaphore(atOnce);
  const isMissing = await Promise.all(
    found.map(({ tag, digest }) =>
      slots.run(async () => (await resolveManifest(target, tag ?? digest, signal)) !== digest, signal),
    ),
  );
  return found.filter((_, index) => isMissing[index]);
}

async function haveSameCompanions(
  { source, target }: ClientPair,
  digests: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const [root = ""] = digests;
  const [theirs, ours, referrers] = await Promise.all([
    listTags(source, signal),
    listTags(target, signal),
    listReferrers(source, root, signal),
  ]);
  if (!theirs?.isLast || !ours?.isLast || (referrers?.length ?? 0) > 0) return false;
  const known = new Set(ours.tags);
  const wanted = new Set(
    digests.flatMap((digest) => [referrersTag(digest), ...companionTags(digest).map(({ tag }) => tag)]),
  );
  return theirs.tags.every((tag) => !wanted.has(tag) || known.has(tag));
}
