import { InputError } from "#base";

/** A file, directory or link in a tar archive. */
export interface TarEntry {
  readonly name: string;
  readonly type: "file" | "directory" | "other";
  readonly data: Uint8Array;
}

const blockSize = 512;
const decoder = new TextDecoder();

/** Lists the entries of an uncompressed tar archive: ustar, GNU and PAX names, sizes in octal and in base 256. */
export function* readTar(archive: Uint8Array): Generator<TarEntry> {
  let longName: string | undefined;
  let pax: ReadonlyMap<string, string> = new Map();
  for (let at = 0; at + blockSize <= archive.length; ) {
    const header = archive.subarray(at, at + blockSize);
    // Two blocks of zeros end an archive; one is accepted, as in other readers.
    if (header.every((byte) => byte === 0)) return;
    checkSum(header);
    const flag = String.fromCharCode(header[156] ?? 0);
    const size = paxSize(pax) ?? sizeOf(header);
    const begin = at + blockSize;
    if (begin + size > archive.length) throw new InputError("the archive ends in the middle of a file");
    const data = archive.subarray(begin, begin + size);
    at = begin + Math.ceil(size / blockSize) * blockSize;
    if (flag === "L") longName = textUpToZero(data);
    else if (flag === "x") pax = readPax(data);
    else if (flag !== "g" && flag !== "K") {
      const name = pax.get("path") ?? longName ?? headerName(header);
      yield { name, type: entryType(flag, name), data };
      longName = undefined;
      pax = new Map();
    }
  }
  if (archive.length % blockSize !== 0) throw new InputError("the archive ends in the middle of a header");
}

function entryType(flag: string, name: string): TarEntry["type"] {
  if (flag === "5") return "directory";
  if (flag !== "0" && flag !== "\0" && flag !== "7") return "other";
  return name.endsWith("/") ? "directory" : "file";
}

function headerName(header: Uint8Array): string {
  const name = textUpToZero(header.subarray(0, 100));
  const isPosix = decoder.decode(header.subarray(257, 263)) === "ustar\0";
  const prefix = isPosix ? textUpToZero(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** The checksum is the sum of all bytes of a header, with its own field as spaces. */
function checkSum(header: Uint8Array): void {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (sum !== readNumber(header.subarray(148, 156))) {
    throw new InputError("not a chart archive: expected a tar archive inside the gzip data");
  }
}

function sizeOf(header: Uint8Array): number {
  const size = readNumber(header.subarray(124, 136));
  if (size === undefined) throw new InputError("the archive has a header with an invalid size");
  return size;
}

/** In octal digits, or in base 256 if the first bit is set. */
function readNumber(field: Uint8Array): number | undefined {
  const first = field[0] ?? 0;
  if (first & 0x80) {
    const number = field.subarray(1).reduce((total, byte) => total * 256 + byte, first & 0x7f);
    return Number.isSafeInteger(number) ? number : undefined;
  }
  const text = textUpToZero(field).trim();
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || "0", 8) : undefined;
}

/** Records of the form `LENGTH KEY=VALUE\n`, where the length counts the whole record in bytes. */
function readPax(data: Uint8Array): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const length = Number(decoder.decode(data.subarray(at, space)));
    const equals = data.indexOf(0x3d, space);
    if (space < 0 || equals < 0 || !Number.isInteger(length) || length < 5 || at + length > data.length) {
      throw new InputError("the archive has an invalid extended header");
    }
    records.set(
      decoder.decode(data.subarray(space + 1, equals)),
      decoder.decode(data.subarray(equals + 1, at + length - 1)),
    );
    at += length;
  }
  return records;
}

function paxSize(pax: ReadonlyMap<string, string>): number | undefined {
  const size = pax.get("size");
  return size !== undefined && /^\d{1,15}$/.test(size) ? Number(size) : undefined;
}

function textUpToZero(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}
