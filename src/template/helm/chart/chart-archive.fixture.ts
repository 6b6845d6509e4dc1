import { gzipSync } from "node:zlib";

/** What a test puts into an archive. */
export interface TestEntry {
  readonly name: string;
  readonly text?: string | Uint8Array;
  /** The type flag of tar; a file if there is none. */
  readonly flag?: string;
  /** The size in the header, if it differs from the true one. */
  readonly size?: number;
}

/** A ustar archive of these entries, for tests, without checks. */
export function tarOf(entries: readonly TestEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(1024)]);
}

export function archiveOf(entries: readonly TestEntry[]): Buffer {
  return gzipSync(tarOf(entries));
}

function blocksOf({ name, text = "", flag = "0", size }: TestEntry): Buffer[] {
  const data = Buffer.from(text);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${(size ?? data.length).toString(8).padStart(11, "0")}\0`, 124);
  header.write("        ", 148);
  header.write(flag, 156);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
}
