import { InputError } from "#base";
import { formatImageReference, type ImageReference, parseTag } from "./image-reference.ts";
import type { Manifest } from "./manifest-content.ts";
import { fetchManifest, resolveManifest, writeManifest } from "./manifests.ts";
import type { Registries } from "./open-registries.ts";
import { planTagMove, type TagFacts, type TagMove } from "./plan-tag-move.ts";
import { RegistryError } from "./registry-error.ts";
import type { RepositoryClient } from "./repository-client.ts";

/** A tag, and what a caller knows about it. */
export type TagRequest = Omit<TagFacts, "current" | "target">;

export interface RetagOptions {
  /** By digest, or by a tag that is resolved once. */
  readonly image: ImageReference;
  readonly tags: readonly TagRequest[];
  /** Only decides. */
  readonly isDryRun?: boolean;
}

/** What became of one tag. */
export interface TagOutcome extends TagMove {
  /** Undefined if the tag is as planned. */
  readonly error?: Error;
}

export interface RetagResult {
  readonly digest: string;
  readonly tags: readonly TagOutcome[];
}

/**
 * Moves tags of one repository to an image of it: the same bytes under another name, so that the digest stays, and signatures
 * with it. Each tag has an outcome of its own; a repeated call writes nothing. Rejects if the image itself cannot be read.
 */
export async function retag(
  registries: Registries,
  { image, tags, isDryRun = false }: RetagOptions,
  signal: AbortSignal,
): Promise<RetagResult> {
  for (const { tag } of tags) parseTag(tag);
  const client = registries.client(image, isDryRun ? "pull" : "pull,push");
  // The digest of a moving source is fixed by one read, which also gives the bytes.
  let manifest = image.digest === undefined ? await requireManifest(client, image, signal) : undefined;
  const digest = manifest?.digest ?? image.digest ?? "";
  const moves: TagMove[] = [];
  for (const request of tags) {
    const current = await resolveManifest(client, request.tag, signal);
    moves.push(planTagMove({ ...request, current, target: digest }));
  }
  const isNeeded = moves.some(({ action }) => action === "create" || action === "move");
  if (isNeeded) manifest ??= await requireManifest(client, image, signal);
  const outcomes: TagOutcome[] = [];
  for (const move of moves) {
    const isWritten = move.action === "create" || move.action === "move";
    const error = isWritten && manifest && !isDryRun ? await writeTag(client, move, manifest, signal) : undefined;
    outcomes.push(error ? { ...move, error } : move);
  }
  return { digest, tags: outcomes };
}

/** Writes a tag and checks what it leads to; the error if that failed. */
export async function writeTag(
  client: RepositoryClient,
  { tag, to }: TagMove,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<Error | undefined> {
  try {
    const written = await writeManifest(client, tag, manifest, signal);
    // The answer to the write tells what was stored; a registry that does not tell is asked.
    const found = written.digest === undefined ? await resolveManifest(client, tag, signal) : manifest.digest;
    if (found === to) return undefined;
    return new RegistryError(`${client.describe(tag)}: expected ${to} after the write, got ${found ?? "no such tag"}`, {
      next: "someone else moved the tag at the same time; run again",
    });
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The manifest of an image; an InputError if there is no such image. */
export async function requireManifest(
  client: RepositoryClient,
  image: ImageReference,
  signal: AbortSignal,
): Promise<Manifest> {
  const reference = requireReference(image);
  const manifest = await fetchManifest(client, reference, signal);
  if (manifest) return manifest;
  const next =
    image.digest === undefined
      ? "check the tag; `tenon image inspect` of another tag shows whether the repository can be read"
      : "it may have expired or been garbage-collected: build it again, or check the repository";
  throw new InputError("image not found", { where: formatImageReference(image), next });
}

/** The digest, else the tag; an InputError if the reference has neither. */
export function requireReference(image: ImageReference): string {
  const reference = image.digest ?? image.tag;
  if (reference !== undefined) return reference;
  throw new InputError("the reference has neither a tag nor a digest", {
    where: formatImageReference(image),
    next: "add :TAG or @sha256:DIGEST; Tenon does not assume :latest",
  });
}

/** The digest that a reference leads to, by one HEAD; undefined if there is no such image. */
export async function resolveDigest(
  registries: Registries,
  image: ImageReference,
  signal: AbortSignal,
): Promise<string | undefined> {
  return await resolveManifest(registries.client(image, "pull"), requireReference(image), signal);
}

/**
 * The same, for a digest that others will get: unless it is `known`, its manifest is read and must be what the digest says.
 * A HEAD has only the word of the registry, or of a cache before it.
 */
export async function resolveVerifiedDigest(
  registries: Registries,
  image: ImageReference,
  known: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const digest = await resolveDigest(registries, image, signal);
  if (digest === undefined || digest === known) return digest;
  const client = registries.client(image, "pull");
  if (await fetchManifest(client, digest, signal)) return digest;
  throw new RegistryError(
    `${client.describe(image.tag)}: the tag leads to ${digest}, which the registry does not have`,
    {
      next: "push the image again",
    },
  );
}
