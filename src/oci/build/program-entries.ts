import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "#base";
import type { LayerEntry } from "./image-layer.ts";

const triplets: Readonly<Record<string, string>> = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" };

/**
 * Programs of this machine with the loader and the shared libraries that their ELF headers name, each at the same path as
 * on this machine. Libraries that a program opens at run time are not included.
 */
export async function programEntries(
  programs: Readonly<Record<string, string>> | readonly string[],
): Promise<LayerEntry[]> {
  const placed = Array.isArray(programs)
    ? programs.map((path: string) => [path, path] as const)
    : Object.entries(programs);
  const entries = new Map<string, LayerEntry>();
  const waiting: (readonly [path: string, from: string])[] = [...placed];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [path, copyOf] = next;
    if (entries.has(path)) continue;
    entries.set(path, { path, copyOf, mode: 0o755 });
    const needs = readElfNeeds(await readFile(copyOf));
    if (!needs) continue;
    if (needs.interpreter !== undefined) waiting.push([needs.interpreter, needs.interpreter]);
    for (const library of needs.libraries) {
      const found = findLibrary(library, copyOf);
      waiting.push([found, found]);
    }
  }
  return [...entries.values()];
}

function findLibrary(library: string, neededBy: string): string {
  const triplet = triplets[process.arch] ?? "";
  for (const folder of [`/lib/${triplet}`, `/usr/lib/${triplet}`, "/lib64", "/usr/lib64", "/lib", "/usr/lib"]) {
    const path = join(folder, library);
    if (existsSync(path)) return path;
  }
  throw new InputError(`${neededBy} needs the library ${library}, which was not found`, {
    next: "install the package that contains it",
  });
}

/** What a program needs from the dynamic loader. */
interface ElfNeeds {
  /** The path of the loader; undefined for a library or a statically linked program. */
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

/** Reads a 64-bit little-endian ELF file; `undefined` for any other file. */
function readElfNeeds(bytes: Buffer): ElfNeeds | undefined {
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

/** The dynamic section holds memory addresses, not file offsets. */
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
