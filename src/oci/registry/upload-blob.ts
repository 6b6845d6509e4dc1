import { readBlob, readWholeBlob, smallBlob } from "./blobs.ts";
import { algorithmOf } from "./digest.ts";
import type { Descriptor } from "./manifest-content.ts";
import { DigestMismatch, RegistryError } from "./registry-error.ts";
import { mayPass, type RepositoryAnswer, type RepositoryClient } from "./repository-client.ts";
import { ResumableHash } from "./resumable-hash.ts";

const mostFailures = 5;
const bytesType = { "content-type": "application/octet-stream" };

export interface BlobUpload {
  readonly source: RepositoryClient;
  readonly target: RepositoryClient;
  readonly blob: Descriptor;
  /** An upload that a refused mount has begun. */
  readonly session?: URL | undefined;
  /** Called with the number of bytes that arrived; negative when they have to be sent again. */
  readonly onBytes: (bytes: number) => void;
}

/** Asks to have a blob of another repository here too: `undefined` if it is there now, else where to upload it. */
export async function mountBlob(
  target: RepositoryClient,
  blob: string,
  from: string,
  signal: AbortSignal,
): Promise<URL | undefined> {
  const answer = await target.send(
    { method: "POST", at: "blobs/uploads/", query: { mount: blob, from }, body: Buffer.alloc(0), accepts: [201, 202] },
    signal,
  );
  return answer.status === 201 ? undefined : sessionOf(answer, target);
}

/** Copies a blob from one repository to another through this process, verified and without holding it. */
export async function uploadBlob(upload: BlobUpload, signal: AbortSignal): Promise<void> {
  await (upload.blob.size <= smallBlob ? uploadSmall(upload, signal) : uploadLarge(upload, signal));
}

async function uploadSmall({ source, target, blob, session, onBytes }: BlobUpload, signal: AbortSignal): Promise<void> {
  const bytes = await readWholeBlob(source, blob, smallBlob, signal);
  // A session that is lost or used up cannot be sent to again, so that each attempt begins its own.
  for (let failures = 0, at = session; ; failures++, at = undefined) {
    try {
      await finish(target, at ?? (await begin(target, signal)), blob.digest, bytes, signal);
      onBytes(bytes.length);
      return;
    } catch (error) {
      if (failures === mostFailures || !(mayPass(error) || isLost(error))) throw error;
    }
  }
}

/** One request for all bytes; after a failure it continues where the registry says, or from the start. */
async function uploadLarge({ source, target, blob, session, onBytes }: BlobUpload, signal: AbortSignal): Promise<void> {
  const hash = new ResumableHash(algorithmOf(blob.digest));
  let at = session ?? (await begin(target, signal));
  let offset = 0;
  let failures = 0;

  async function* rest(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readBlob(source, blob, hash.rewindTo(offset), signal)) {
      const start = hash.position;
      hash.update(chunk);
      const skipped = Math.min(Math.max(offset - start, 0), chunk.length);
      if (skipped === chunk.length) continue;
      onBytes(chunk.length - skipped);
      yield skipped === 0 ? chunk : chunk.subarray(skipped);
    }
  }

  while (offset < blob.size) {
    const begun = offset;
    try {
      // Only a continuation names its range: registries that have never heard of ranges take whole blobs.
      const range = offset > 0 ? { "content-range": `${offset}-${blob.size - 1}` } : {};
      const answer = await target.send(
        {
          method: "PATCH",
          at,
          headers: { ...bytesType, ...range, "content-length": `${blob.size - offset}` },
          body: rest(),
          accepts: [200, 201, 202, 204, 404, 409, 416],
        },
        signal,
      );
      if (answer.status >= 400) throw lostUpload(target, answer.status);
      at = sessionOf(answer, target, at);
      offset = blob.size;
    } catch (error) {
      signal.throwIfAborted();
      if (!(mayPass(error) || isLost(error)) || error instanceof DigestMismatch) throw error;
      const reached = hash.position;
      const found = await findOffset(target, at, blob.size, signal);
      if (found === undefined) at = await begin(target, signal);
      else at = found.at;
      offset = found?.offset ?? 0;
      onBytes(Math.min(0, offset - Math.max(reached, begun)));
      failures = offset > begun ? 1 : failures + 1;
      if (failures === mostFailures || !(await target.pause(error, failures, signal))) throw error;
    }
  }
  if (hash.position < blob.size) for await (const _ of rest());
  const digest = hash.digest();
  if (digest !== blob.digest) {
    await cancel(target, at, signal);
    throw new DigestMismatch(source.describe(blob.digest), blob.digest, digest);
  }
  await finish(target, at, blob.digest, undefined, signal);
}

async function begin(target: RepositoryClient, signal: AbortSignal): Promise<URL> {
  const request = { method: "POST", at: "blobs/uploads/", body: Buffer.alloc(0), accepts: [202] } as const;
  return sessionOf(await target.send(request, signal), target);
}

async function finish(
  target: RepositoryClient,
  at: URL,
  digest: string,
  bytes: Buffer | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { status, headers } = await target.send(
    {
      method: "PUT",
      at,
      query: { digest },
      headers: bytesType,
      body: bytes ?? Buffer.alloc(0),
      accepts: [200, 201, 204, 404],
    },
    signal,
  );
  if (status === 404) throw lostUpload(target, status);
  const stored = headers["docker-content-digest"];
  if (stored !== undefined && stored !== digest) throw new DigestMismatch(target.describe(digest), digest, stored);
}

/** How much of an upload the registry has; undefined if it does not know the upload. */
async function findOffset(
  target: RepositoryClient,
  at: URL,
  size: number,
  signal: AbortSignal,
): Promise<{ readonly offset: number; readonly at: URL } | undefined> {
  for (let failures = 0; failures < mostFailures; failures++) {
    const answer = await target.send({ method: "GET", at, accepts: [200, 202, 204, 400, 404, 405, 409, 416] }, signal);
    // The registry still works on the request that broke.
    if (answer.status === 409) {
      await target.pause(undefined, failures, signal);
      continue;
    }
    const [, last] = /^(?:bytes=)?0-(\d+)$/.exec(answer.headers["range"] ?? "") ?? [];
    if (answer.status >= 400 || last === undefined) return undefined;
    // `0-0` is what registries say of an empty upload, too.
    const offset = last === "0" ? 0 : Number(last) + 1;
    return offset > size ? undefined : { offset, at: sessionOf(answer, target, at) };
  }
  return undefined;
}

/** Leaves nothing behind at the registry, where it allows that. */
async function cancel(target: RepositoryClient, at: URL, signal: AbortSignal): Promise<void> {
  await target.send({ method: "DELETE", at, accepts: [200, 202, 204, 400, 404, 405] }, signal).catch(() => {});
}

function sessionOf({ headers, url }: RepositoryAnswer, target: RepositoryClient, known?: URL): URL {
  const location = headers["location"];
  if (location !== undefined && URL.canParse(location, url.href)) return new URL(location, url);
  if (known !== undefined) return known;
  throw new RegistryError(`${target.describe()}: the registry began an upload without saying where`, { status: 502 });
}

/** The registry no longer knows the upload, or has other bytes of it. */
function isLost(error: unknown): boolean {
  return error instanceof RegistryError && [400, 404, 409, 416].includes(error.status ?? 0);
}

function lostUpload(target: RepositoryClient, status: number): RegistryError {
  return new RegistryError(`${target.describe()}: the registry lost an upload (${status})`, { status });
}
