import { once } from "node:events";
import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";

/** Something that happens at a place in a body. `find` tells where; `act` does it and says whether the body goes on. */
export interface BodyFault {
  readonly find: (chunk: Buffer) => number | undefined;
  readonly act: () => Promise<boolean>;
}

export interface BodyOptions {
  readonly from: IncomingMessage;
  readonly to: ClientRequest | ServerResponse;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
  readonly fault?: BodyFault | undefined;
}

/** Passes a body and its trailers on, each chunk as it comes, as fast as `to` takes it; false when a fault ended it. */
export async function passBody({ from, to, signal, onBytes, fault }: BodyOptions): Promise<boolean> {
  let pending = fault;

  async function send(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return;
    signal.throwIfAborted();
    onBytes(chunk.length);
    await write(to, chunk, signal);
  }

  async function pass(chunk: Buffer): Promise<boolean> {
    const offset = pending?.find(chunk);
    if (pending === undefined || offset === undefined) {
      await send(chunk);
      return true;
    }
    const { act } = pending;
    pending = undefined;
    await send(chunk.subarray(0, offset));
    if (!(await act())) return false;
    await send(chunk.subarray(offset));
    return true;
  }

  // A fault at the very start does not wait for the first byte.
  if (!(await pass(Buffer.alloc(0)))) return false;
  // A request that is destroyed takes its connection with it, and the answer that is on its way.
  const chunks: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => from.iterator({ destroyOnReturn: false }) };
  for await (const chunk of chunks) {
    if (!(await pass(chunk))) return false;
  }
  if (from.rawTrailers.length > 0) to.addTrailers(pairsOf(from.rawTrailers));
  to.end();
  return true;
}

export async function write(to: ClientRequest | ServerResponse, chunk: Buffer, signal: AbortSignal): Promise<void> {
  if (!to.write(chunk)) await once(to, "drain", { signal });
}

/** Node lists raw headers flat: name, value, name, value. */
export function pairsOf(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""]] : []));
}
