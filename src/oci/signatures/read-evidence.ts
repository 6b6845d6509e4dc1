import { InputError, Semaphore } from "#base";
import { readWholeBlob } from "../registry/blobs.ts";
import { companionTags } from "../registry/companions.ts";
import { type Descriptor, type Manifest, readManifestContent } from "../registry/manifest-content.ts";
import { fetchManifest } from "../registry/manifests.ts";
import { listReferrers, readTaggedReferrers } from "../registry/referrers.ts";
import type { RepositoryClient } from "../registry/repository-client.ts";
import { dsseType } from "./dsse-envelope.ts";
import type { SignatureEvidence } from "./judge-evidence.ts";
import { isBundleType } from "./sigstore-bundle.ts";
import { simpleSignatureAnnotation, simpleSigningType } from "./simple-signing.ts";

export interface FoundEvidence {
  readonly evidence: readonly SignatureEvidence[];
  /** What was found and not read, as sentences. */
  readonly unread: readonly string[];
}

/** Who may push to a repository may attach as much as they like. */
const mostReferrers = 100;
const mostLayers = 100;
const largestBlob = 8 * 2 ** 20;
const atOnce = 8;

/** Reads the signatures and attestations of one digest: by the tags of cosign, and by the list of referrers. */
export async function readEvidence(
  client: RepositoryClient,
  digest: string,
  signal: AbortSignal,
): Promise<FoundEvidence> {
  const slots = new Semaphore(atOnce);
  const unread: string[] = [];
  const fetch = (reference: string) => slots.run(() => fetchManifest(client, reference, signal), signal);
  const tags = companionTags(digest).filter(({ kind }) => kind !== "sbom");
  const listed = (await listReferrers(client, digest, signal)) ?? (await readTaggedReferrers(client, digest, signal));
  const referrers = listed.filter(({ artifactType }) => artifactType === undefined || mayVouch(artifactType));
  if (referrers.length > mostReferrers) {
    unread.push(`${referrers.length - mostReferrers} of ${referrers.length} referrers were not read`);
  }
  const references = [...tags.map(({ tag }) => tag), ...referrers.slice(0, mostReferrers).map((each) => each.digest)];
  const found = await Promise.all(
    references.map(async (reference) => ({ reference, manifest: await fetch(reference) })),
  );
  const layers = found.flatMap(({ reference, manifest }) => {
    try {
      return manifest ? layersOf(client, reference, manifest) : [];
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      unread.push(error.message);
      return [];
    }
  });
  if (layers.length > mostLayers) unread.push(`${layers.length - mostLayers} of ${layers.length} layers were not read`);
  const evidence = await Promise.all(
    layers.slice(0, mostLayers).map(async ({ source, format, blob }) => {
      if (blob.size > largestBlob) {
        unread.push(`${source} has ${blob.size} bytes and was not read`);
        return [];
      }
      const bytes = await slots.run(() => readWholeBlob(client, blob, largestBlob, signal), signal);
      const signature = blob.annotations?.[simpleSignatureAnnotation];
      return [{ source, format, bytes, ...(signature === undefined ? {} : { signature }) }];
    }),
  );
  return { evidence: evidence.flat(), unread };
}

interface EvidenceLayer {
  readonly source: string;
  readonly format: SignatureEvidence["format"];
  readonly blob: Descriptor;
}

function layersOf(client: RepositoryClient, reference: string, manifest: Manifest): EvidenceLayer[] {
  const { blobs } = readManifestContent(manifest, client.describe(reference));
  return blobs.flatMap((blob) => {
    const format = formatOf(blob.mediaType);
    return format === undefined ? [] : [{ source: client.describe(reference), format, blob }];
  });
}

function formatOf(mediaType: string): SignatureEvidence["format"] | undefined {
  if (mediaType === simpleSigningType) return "simple-signing";
  if (mediaType === dsseType) return "dsse";
  return isBundleType(mediaType) ? "bundle" : undefined;
}

/** Other referrers, such as SBOMs and the results of scanners, are not asked for. */
function mayVouch(artifactType: string): boolean {
  return /sigstore|cosign|dsse|in-toto|oci\.(?:image\.config|empty)/.test(artifactType);
}
