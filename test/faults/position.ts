/** A place in an answer's body: after so many lines and then so many bytes. `{ lines: 2, bytes: 5 }` is in line 3. */
export interface BodyPosition {
  readonly lines?: number;
  readonly bytes?: number;
}

/** A place in an exchange: before the request is passed on, before the first byte of the answer, or in its body. */
export type Position = "request" | "headers" | BodyPosition;

/**
 * Looks for a position in a body that comes in chunks: given each chunk once, tells the position's offset in it, or
 * undefined when it is not there. The very start of a body is found in an empty chunk.
 */
export function positionFinder({ lines = 0, bytes = 0 }: BodyPosition): (chunk: Buffer) => number | undefined {
  let linesLeft = lines;
  let bytesLeft = bytes;
  return (chunk) => {
    let offset = 0;
    for (; linesLeft > 0; linesLeft -= 1) {
      const newline = chunk.indexOf("\n", offset);
      if (newline === -1) return undefined;
      offset = newline + 1;
    }
    const available = chunk.length - offset;
    if (bytesLeft <= available) return offset + bytesLeft;
    bytesLeft -= available;
    return undefined;
  };
}
