import { computeDigest } from "./digest.ts";
import type { Descriptor } from "./manifest-content.ts";
import { DigestMismatch, RegistryError } from "./registry-error.ts";
import { mayPass, reasonOf, type RepositoryClient } from "./repository-client.ts";

/** The largest blob that is held in memory. */
export const smallBlob = 512 * 1024;
const mostFailures = 5;

export async function hasBlob(client: RepositoryClient, digest: string, signal: AbortSignal): Promise<boolean> {
  const { status } = await client.send({ method: "HEAD", at: `blobs/${digest}`, accepts: [200, 404] }, signal);
  return status === 200;
}

/** A blob as a whole, checked against its digest. */
export async function readWholeBlob(
  client: RepositoryClient,
  blob: Descriptor,
  largest: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const where = client.describe(blob.digest);
  if (blob.size > largest) throw new RegistryError(`${where}: the blob has ${blob.size} bytes`, { status: 413 });
  const bytes = Buffer.alloc(blob.size);
  let position = 0;
  for await (const chunk of readBlob(client, blob, 0, signal)) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  const digest = computeDigest(bytes, blob.digest);
  if (digest !== blob.digest) throw new DigestMismatch(where, blob.digest, digest);
  return bytes;
}

/**
 * The bytes of a blob from a position on. A connection that breaks is opened again where it broke, as often as there is
 * progress in between. The bytes are not checked: the caller hashes them.
 * Of a large blob, a chunk is valid until the next one is asked for.
 */
export async function* readBlob(
  client: RepositoryClient,
  { digest, size }: Descriptor,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let position = from;
  let failures = 0;
  while (position < size) {
    const before = position;
    let failure: unknown;
    try {
      for await (const chunk of openAt(client, { digest, size }, position, signal)) {
        position += chunk.length;
        if (position > size) throw tooLong(client, digest, size);
        yield chunk;
      }
      if (position < size) failure = endedEarly(client, digest, position, size);
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPass(error)) throw error;
      failure = error;
    }
    if (failure === undefined) continue;
    failures = position > before ? 1 : failures + 1;
    if (failures === mostFailures || !(await client.pause(failure, failures, signal))) throw failure;
  }
}

async function* openAt(
  client: RepositoryClient,
  { digest, size }: Pick<Descriptor, "digest" | "size">,
  position: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const range = position > 0 ? { range: `bytes=${position}-${size - 1}` } : {};
  const { status, chunks } = await client.open(
    { method: "GET", at: `blobs/${digest}`, headers: range, accepts: [200, 206], isLarge: size > smallBlob },
    signal,
  );
  // A registry may ignore the range and send everything.
  let skip = status === 206 ? 0 : position;
  try {
    for await (const chunk of chunks) {
      if (skip >= chunk.length) {
        skip -= chunk.length;
        continue;
      }
      yield skip === 0 ? chunk : chunk.subarray(skip);
      skip = 0;
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new RegistryError(`${client.describe(digest)}: the blob broke off: ${reasonOf(cause)}`, { cause });
  }
}

function tooLong(client: RepositoryClient, digest: string, size: number): RegistryError {
  return new RegistryError(`${client.describe(digest)}: the blob has more than the ${size} bytes of its descriptor`, {
    status: 422,
  });
}

function endedEarly(client: RepositoryClient, digest: string, position: number, size: number): RegistryError {
  return new RegistryError(`${client.describe(digest)}: the blob ended after ${position} of ${size} bytes`, {
    cause: "unexpected end",
  });
}
