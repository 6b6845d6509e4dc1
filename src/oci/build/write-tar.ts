import { createReadStream } from "node:fs";

/** One member of a tar file. Its size is in the header, so it must be known before the contents are read. */
export interface TarMember {
  readonly name: string;
  readonly kind: "file" | "link" | "directory";
  readonly mode: number;
  readonly owner?: number;
  readonly linkTo?: string;
  readonly size: number;
  readonly contents?: Uint8Array | { readonly file: string };
}

const block = 512;
const typeFlags = { file: "0", link: "2", directory: "5", extended: "x" } as const;

/**
 * The bytes of a POSIX tar file. The same members give the same bytes: no time stamps, no user names.
 */
export async function* writeTar(members: Iterable<TarMember>): AsyncGenerator<Uint8Array> {
  for (const member of members) {
    yield head(member);
    yield* contentsOf(member);
    yield padding(member.size);
  }
  yield Buffer.alloc(2 * block);
}

async function* contentsOf({ name, contents, size }: TarMember): AsyncGenerator<Uint8Array> {
  if (contents === undefined) return;
  if (contents instanceof Uint8Array) {
    yield contents;
    return;
  }
  let read = 0;
  for await (const chunk of createReadStream(contents.file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>) {
    read += chunk.length;
    yield chunk;
  }
  // A different length would shift every following member.
  if (read !== size) throw new Error(`${contents.file} changed while it was written as ${name}`);
}

function head(member: TarMember): Uint8Array {
  const { linkTo = "", size } = member;
  const name = member.kind === "directory" ? `${member.name}/` : member.name;
  const plain = header({ ...member, name: fit(name), linkTo: fit(linkTo) }, typeFlags[member.kind]);
  const records = [
    ...(fits(name) ? [] : [record("path", name)]),
    ...(fits(linkTo) ? [] : [record("linkpath", linkTo)]),
    // Eleven octal digits hold 8 GiB.
    ...(size < 2 ** 33 ? [] : [record("size", String(size))]),
  ];
  if (records.length === 0) return plain;
  const extended = Buffer.from(records.join(""));
  const about: TarMember = { name: "PaxHeader", kind: "file", mode: 0o644, size: extended.length };
  return Buffer.concat([header(about, typeFlags.extended), extended, padding(extended.length), plain]);
}

function header(member: TarMember, flag: string): Buffer {
  const bytes = Buffer.alloc(block);
  const owner = octal(member.owner ?? 0, 7);
  bytes.write(member.name, 0);
  bytes.write(`${octal(member.mode, 7)}\0${owner}\0${owner}\0`, 100);
  bytes.write(`${octal(member.size % 2 ** 33, 11)}\0${octal(0, 11)}\0        ${flag}${member.linkTo ?? ""}`, 124);
  bytes.write("ustar\x0000", 257);
  bytes.write(`${octal(0, 7)}\0${octal(0, 7)}\0`, 329);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${octal(sum, 6)}\0 `, 148);
  return bytes;
}

function fits(text: string): boolean {
  return text.length <= 100 && Buffer.byteLength(text) === text.length;
}

/** As much as the old header can hold; readers of the extended header ignore it. */
function fit(text: string): string {
  return text.replaceAll(/[^ -~]/g, "_").slice(0, 100);
}

/** A record starts with its own length, including the digits of that length. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (bytes + String(length).length !== length) length++;
  return `${length}${rest}`;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function padding(size: number): Uint8Array {
  return Buffer.alloc((block - (size % block)) % block);
}
