import { Semaphore } from "#base";
import { hasBlob } from "./blobs.ts";
import type { Descriptor } from "./manifest-content.ts";
import type { ClientPair } from "./open-registries.ts";
import { mountBlob, uploadBlob } from "./upload-blob.ts";

export interface CopyProgress {
  /** Bytes of blobs that are at the target, of those that the copy needs. */
  readonly bytes: number;
  readonly totalBytes: number;
  readonly blobs: number;
  readonly totalBlobs: number;
}

export interface TransferCounts {
  /** Blobs that the registry took over from another repository, without a transfer. */
  readonly mounted: number;
  readonly uploaded: number;
  /** Blobs that were there already. */
  readonly present: number;
  readonly uploadedBytes: number;
}

/** Blobs at once. */
const atOnce = 4;

/** Brings blobs to the target: mounted where the registry can, uploaded through this process where it cannot. */
export async function transferBlobs(
  { source, target }: ClientPair,
  blobs: readonly Descriptor[],
  onProgress: ((progress: CopyProgress) => void) | undefined,
  signal: AbortSignal,
): Promise<TransferCounts> {
  const totals = { totalBytes: blobs.reduce((sum, { size }) => sum + size, 0), totalBlobs: blobs.length };
  const counts = { mounted: 0, uploaded: 0, present: 0, uploadedBytes: 0 };
  let bytes = 0;
  let done = 0;
  let mounts = source.name.registry === target.name.registry;
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);

  function advance(by: number): void {
    bytes += by;
    onProgress?.({ bytes, blobs: done, ...totals });
  }

  async function transfer(blob: Descriptor): Promise<void> {
    const isMount = mounts;
    const session = isMount ? await mountBlob(target, blob.digest, source.name.repository, until) : undefined;
    if (isMount && session === undefined) {
      counts.mounted += 1;
    } else if (await hasBlob(target, blob.digest, until)) {
      counts.present += 1;
    } else {
      const onBytes = (arrived: number): void => {
        counts.uploadedBytes += arrived;
        advance(arrived);
      };
      await uploadBlob({ source, target, blob, session, onBytes }, until);
      counts.uploaded += 1;
      done += 1;
      advance(0);
      return;
    }
    done += 1;
    advance(blob.size);
  }

  // The first one alone, because it tells whether the registry mounts: one that does not is not asked again.
  const [first, ...others] = blobs.toSorted((one, other) => one.size - other.size);
  if (first !== undefined) await transfer(first);
  mounts = counts.mounted > 0;
  const slots = new Semaphore(atOnce);
  // Largest first, so that the last one is small.
  const transfers = others.toReversed().map((blob) => slots.run(() => transfer(blob), until));
  try {
    await Promise.all(transfers);
  } catch (error) {
    ending.abort(error);
    await Promise.allSettled(transfers);
    throw error;
  }
  return counts;
}
