import { Semaphore } from "#base";
import { readImageTree, type TreeNode } from "./image-tree.ts";
import type { Descriptor, Manifest } from "./manifest-content.ts";
import { fetchManifest } from "./manifests.ts";
import { listReferrers, readTaggedReferrers } from "./referrers.ts";
import type { RepositoryClient } from "./repository-client.ts";

/** What hangs on an image: a signature, an attestation, an SBOM, or any other artifact that names the image as its subject. */
export interface Companion {
  /** The digest that it belongs to: the index, or one of its platforms. */
  readonly subject: string;
  /** How it is found: by a tag made of the digest, or by the list of referrers. */
  readonly kind: "signature" | "attestation" | "sbom" | "referrer";
  /** Of a companion with a tag of its own. */
  readonly tag?: string;
  /** The type of a referrer. */
  readonly artifactType?: string | undefined;
  readonly digest: string;
}

/** A companion with its manifests, children first, itself last. */
export interface CompanionTree extends Companion {
  readonly nodes: readonly TreeNode[];
}

/** The tags by which cosign finds what belongs to a digest. */
const suffixes = { signature: "sig", attestation: "att", sbom: "sbom" } as const;
const atOnce = 8;
/** Signatures of attestations of SBOMs. */
const deepest = 4;

/** The tags of the companions of a digest. */
export function companionTags(
  digest: string,
): readonly { readonly kind: keyof typeof suffixes; readonly tag: string }[] {
  const base = digest.replace(":", "-");
  return (["signature", "attestation", "sbom"] as const).map((kind) => ({ kind, tag: `${base}.${suffixes[kind]}` }));
}

/** Everything that hangs on these digests in a repository. */
export async function readCompanions(
  client: RepositoryClient,
  digests: readonly string[],
  signal: AbortSignal,
): Promise<readonly CompanionTree[]> {
  const slots = new Semaphore(atOnce);
  const [first] = digests;
  if (first === undefined) return [];
  const seen = new Set<string>();
  const read = (reference: string) => slots.run(() => fetchManifest(client, reference, signal), signal);
  // Whether the registry has the API is learned from the first digest.
  const initial = await slots.run(() => listReferrers(client, first, signal), signal);
  const hasApi = initial !== undefined;

  async function referrersOf(digest: string): Promise<readonly Descriptor[]> {
    if (digest === first && initial) return initial;
    return await slots.run(
      async () =>
        (hasApi ? await listReferrers(client, digest, signal) : undefined) ??
        (await readTaggedReferrers(client, digest, signal)),
      signal,
    );
  }

  async function withTree(companion: Omit<Companion, "digest">, manifest: Manifest): Promise<CompanionTree> {
    const nodes = await readImageTree(client, manifest, signal);
    // Not from the list: not every registry reads it from the manifest as it should.
    const artifactType = companion.kind === "referrer" ? nodes.at(-1)?.content.artifactType : undefined;
    return { ...companion, artifactType, digest: manifest.digest, nodes };
  }

  async function byTags(subject: string): Promise<CompanionTree[]> {
    const found = await Promise.all(
      companionTags(subject).map(async ({ kind, tag }) => {
        const manifest = await read(tag);
        return manifest === undefined ? [] : [await withTree({ subject, kind, tag }, manifest)];
      }),
    );
    return found.flat();
  }

  async function byReferrers(subject: string, depth: number): Promise<CompanionTree[]> {
    if (depth === deepest) return [];
    const listed = (await referrersOf(subject)).filter(({ digest }) => !seen.has(digest) && seen.add(digest));
    const found = await Promise.all(
      listed.map(async ({ digest }) => {
        const manifest = await read(digest);
        // A list may name what was deleted since.
        if (manifest === undefined) return [];
        const own = await withTree({ subject, kind: "referrer" }, manifest);
        return (await byReferrers(digest, depth + 1)).concat(own);
      }),
    );
    return found.flat();
  }

  const all = await Promise.all(digests.flatMap((digest) => [byTags(digest), byReferrers(digest, 0)]));
  return all.flat();
}

/** Without its manifests. */
export function describeCompanion({ subject, kind, tag, artifactType, digest }: CompanionTree): Companion {
  return {
    subject,
    kind,
    ...(tag === undefined ? {} : { tag }),
    ...(artifactType === undefined ? {} : { artifactType }),
    digest,
  };
}
