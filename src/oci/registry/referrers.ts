import { computeDigest } from "./digest.ts";
import {
  type Descriptor,
  isIndex,
  type Manifest,
  type ManifestContent,
  mediaTypes,
  readManifestContent,
} from "./manifest-content.ts";
import { fetchManifest, writeManifest } from "./manifests.ts";
import { RegistryError } from "./registry-error.ts";
import type { RepositoryClient } from "./repository-client.ts";

const largestList = 32 * 2 ** 20;
const mostPages = 100;

/** The tag of the list of referrers on registries without the API for it. */
export function referrersTag(digest: string): string {
  return digest.replace(":", "-").slice(0, 128);
}

/**
 * The manifests that name this one as their subject; undefined if the registry does not have the API:
 * https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-referrers
 */
export async function listReferrers(
  client: RepositoryClient,
  digest: string,
  signal: AbortSignal,
): Promise<readonly Descriptor[] | undefined> {
  const found: Descriptor[] = [];
  let at: string | URL = `referrers/${digest}`;
  for (let page = 0; page < mostPages; page++) {
    const answer = await client.send(
      {
        method: "GET",
        at,
        headers: { accept: mediaTypes.ociIndex },
        accepts: [200, 400, 404, 405, 501],
        largestBody: largestList,
      },
      signal,
    );
    const [type = ""] = (answer.headers["content-type"] ?? "").split(";");
    // Some registries answer unknown paths with a page of their own.
    if (answer.status !== 200 || type.trim() !== mediaTypes.ociIndex) return page === 0 ? undefined : found;
    const where = `${client.describe(digest)} (referrers)`;
    found.push(...readManifestContent({ bytes: answer.body, mediaType: mediaTypes.ociIndex }, where).children);
    const next = nextPage(answer.headers["link"], answer.url);
    if (next === undefined) return found;
    at = next;
  }
  throw new RegistryError(`${client.describe(digest)}: the list of referrers has more than ${mostPages} pages`, {
    status: 413,
  });
}

/** The list that clients keep under a tag where the registry has no API. */
export async function readTaggedReferrers(
  client: RepositoryClient,
  digest: string,
  signal: AbortSignal,
): Promise<readonly Descriptor[]> {
  const list = await fetchManifest(client, referrersTag(digest), signal);
  if (!list || !isIndex(list.mediaType)) return [];
  return readManifestContent(list, client.describe(referrersTag(digest))).children;
}

/** Adds to the list under the tag what is not there yet. Two writers at once can lose an entry: registries have no condition for it. */
export async function addTaggedReferrers(
  client: RepositoryClient,
  subject: string,
  added: readonly Descriptor[],
  signal: AbortSignal,
): Promise<void> {
  const before = await readTaggedReferrers(client, subject, signal);
  const known = new Set(before.map(({ digest }) => digest));
  const missing = added.filter(({ digest }) => !known.has(digest));
  if (missing.length === 0) return;
  const list = { schemaVersion: 2, mediaType: mediaTypes.ociIndex, manifests: [...before, ...missing] };
  const bytes = Buffer.from(JSON.stringify(list));
  await writeManifest(
    client,
    referrersTag(subject),
    { mediaType: mediaTypes.ociIndex, bytes, digest: computeDigest(bytes) },
    signal,
  );
}

/** How a list of referrers describes a manifest. */
export function referrerDescriptor(manifest: Manifest, { artifactType, annotations }: ManifestContent): Descriptor {
  return {
    mediaType: manifest.mediaType,
    digest: manifest.digest,
    size: manifest.bytes.length,
    ...(artifactType === undefined ? {} : { artifactType }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }),
  };
}

function nextPage(link: string | undefined, from: URL): URL | undefined {
  const [, target] = /<([^<>]*)>\s*;[^,]*\brel="?next\b/.exec(link ?? "") ?? [];
  return target !== undefined && URL.canParse(target, from.href) ? new URL(target, from) : undefined;
}
