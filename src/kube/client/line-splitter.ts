const newline = 0x0a;

/** Makes lines of bytes that arrive in pieces cut anywhere, also within a character. */
export class LineSplitter {
  #held: Uint8Array[] = [];

  /** The lines that this piece completes, without their newlines. */
  push(piece: Uint8Array): string[] {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      lines.push(this.#complete(bytes, start, end));
      start = end + 1;
    }
    if (start < bytes.length) this.#held.push(bytes.subarray(start));
    return lines;
  }

  /** What came after the last newline; undefined if nothing did. */
  takeRest(): string | undefined {
    return this.#held.length === 0 ? undefined : this.#complete(Buffer.alloc(0), 0, 0);
  }

  #complete(bytes: Buffer, start: number, end: number): string {
    if (this.#held.length === 0) return bytes.toString("utf8", start, end);
    const line = Buffer.concat([...this.#held, bytes.subarray(start, end)]);
    this.#held = [];
    return line.toString("utf8");
  }
}
