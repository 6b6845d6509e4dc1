import { computeDigest, isDigest } from "./digest.ts";
import { acceptedManifests, innerMediaType, type Manifest } from "./manifest-content.ts";
import { DigestMismatch } from "./registry-error.ts";
import type { RepositoryClient } from "./repository-client.ts";

const accept = { accept: acceptedManifests };

/** The digest that a tag or digest leads to; undefined if there is no such manifest. */
export async function resolveManifest(
  client: RepositoryClient,
  reference: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { status, headers } = await client.send(
    { method: "HEAD", at: `manifests/${reference}`, headers: accept, accepts: [200, 404] },
    signal,
  );
  if (status === 404) return undefined;
  const digest = headers["docker-content-digest"];
  if (digest !== undefined && isDigest(digest)) return digest;
  // The header is optional.
  return (await fetchManifest(client, reference, signal))?.digest;
}

/** Reads a manifest and checks it against its digest; undefined if there is none. */
export async function fetchManifest(
  client: RepositoryClient,
  reference: string,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  const { status, headers, body } = await client.send(
    { method: "GET", at: `manifests/${reference}`, headers: accept, accepts: [200, 404] },
    signal,
  );
  if (status === 404) return undefined;
  const told = headers["docker-content-digest"];
  const expected = isDigest(reference) ? reference : told !== undefined && isDigest(told) ? told : undefined;
  const digest = computeDigest(body, expected);
  if (expected !== undefined && digest !== expected) {
    throw new DigestMismatch(client.describe(reference), expected, digest);
  }
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  const isTold = type.trim().startsWith("application/vnd.");
  return { digest, mediaType: isTold ? type.trim() : (innerMediaType(body) ?? type.trim()), bytes: body };
}

export interface WrittenManifest {
  /** What the registry says that it stored; undefined if it does not say. */
  readonly digest: string | undefined;
  /** Whether the registry lists the manifest among the referrers of its subject. */
  readonly isReferrer: boolean;
}

/** Stores the bytes as they are, under a tag or their digest. */
export async function writeManifest(
  client: RepositoryClient,
  reference: string,
  { mediaType, bytes, digest }: Manifest,
  signal: AbortSignal,
): Promise<WrittenManifest> {
  const { headers } = await client.send(
    {
      method: "PUT",
      at: `manifests/${reference}`,
      headers: { "content-type": mediaType },
      body: bytes,
      accepts: [200, 201, 202],
    },
    signal,
  );
  const told = headers["docker-content-digest"];
  const stored = told !== undefined && isDigest(told) ? told : undefined;
  // A registry may name the digest by another algorithm than ours.
  if (stored !== undefined && stored !== digest && computeDigest(bytes, stored) !== stored) {
    throw new DigestMismatch(client.describe(reference), digest, stored);
  }
  return { digest: stored, isReferrer: headers["oci-subject"] !== undefined };
}
