import type { IncomingMessage } from "node:http";

/** The body of a request; undefined if it has more bytes than `largest`. */
export async function readBody(request: IncomingMessage, largest: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > largest) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
