/** What a program asks the dynamic loader for. */
export interface ElfNeeds {
  /** The loader itself; a program linked statically, and a library, has none. */
  readonly interpreter: string | undefined;
  readonly libraries: readonly string[];
}

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

const segmentTypes = { load: 1, dynamic: 2, interpreter: 3 };
const tags = { end: 0, needed: 1, stringTable: 5 };

/** Reads the needs of an ELF file of 64 bits, least significant byte first; `undefined` for any other file. */
export function readElfNeeds(bytes: Buffer): ElfNeeds | undefined {
  if (bytes.length < 64 || bytes.readUInt32BE(0) !== 0x7f454c46 || bytes[4] !== 2 || bytes[5] !== 1) return undefined;
  const segments = readSegments(bytes);
  const interpreter = segments.find(({ type }) => type === segmentTypes.interpreter);
  const dynamic = segments.find(({ type }) => type === segmentTypes.dynamic);
  return {
    interpreter: interpreter && textAt(bytes, interpreter.offset),
    libraries: dynamic ? readLibraries(bytes, segments, dynamic) : [],
  };
}

function readSegments(bytes: Buffer): Segment[] {
  const table = Number(bytes.readBigUInt64LE(32));
  const entrySize = bytes.readUInt16LE(54);
  return Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => {
    const at = table + index * entrySize;
    return {
      type: bytes.readUInt32LE(at),
      offset: Number(bytes.readBigUInt64LE(at + 8)),
      address: Number(bytes.readBigUInt64LE(at + 16)),
      size: Number(bytes.readBigUInt64LE(at + 32)),
    };
  });
}

function readLibraries(bytes: Buffer, segments: readonly Segment[], dynamic: Segment): string[] {
  const needed: number[] = [];
  let strings = 0;
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16) {
    const tag = Number(bytes.readBigInt64LE(at));
    const value = Number(bytes.readBigUInt64LE(at + 8));
    if (tag === tags.end) break;
    if (tag === tags.needed) needed.push(value);
    if (tag === tags.stringTable) strings = offsetOf(value, segments);
  }
  return needed.map((offset) => textAt(bytes, strings + offset));
}

/** The dynamic section speaks of addresses in memory, not of places in the file. */
function offsetOf(address: number, segments: readonly Segment[]): number {
  const segment = segments.find(
    ({ type, address: begin, size }) => type === segmentTypes.load && address >= begin && address < begin + size,
  );
  if (!segment) throw new Error("the string table of the ELF file is outside its segments");
  return segment.offset + address - segment.address;
}

function textAt(bytes: Buffer, offset: number): string {
  return bytes.toString("latin1", offset, bytes.indexOf(0, offset));
}
