/**
 * Writes zone-data.ts from the time zone database that Go carries: `node src/golang/time/generate-zone-data.ts`.
 * A line a zone: its names; its kinds as name,offset,daylight; its changes as seconds since the last one and a kind; its rule.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";

const root = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
const names = new Map<string, string[]>();
for (const [name, file] of entriesOfArchive(readFileSync(join(root, "lib/time/zoneinfo.zip")))) {
  const line = lineOf(file);
  names.set(line, [...(names.get(line) ?? []), name]);
}
const text = [...names].map(([line, all]) => `${all.join(" ")};${line}`).join("\n");
const data = brotliCompressSync(text).toString("base64");
const comment = "/** The time zone database in generate-zone-data.ts's form, compressed by brotli, in base64. */";
writeFileSync(new URL("zone-data.ts", import.meta.url), `${comment}\nexport const zoneData =\n  "${data}";\n`);

/** Go's archive holds its files as they are. */
function* entriesOfArchive(archive: Buffer): Generator<[string, Buffer]> {
  for (let at = 0; archive.readUInt32LE(at) === 0x04034b50; ) {
    const size = archive.readUInt32LE(at + 18);
    const nameEnd = at + 30 + archive.readUInt16LE(at + 26);
    const start = nameEnd + archive.readUInt16LE(at + 28);
    if (size > 0) yield [archive.toString("utf8", at + 30, nameEnd), archive.subarray(start, start + size)];
    at = start + size;
  }
}

/** https://www.rfc-editor.org/rfc/rfc8536: a block with times of 32 bits, then one with times of 64. */
function lineOf(file: Buffer): string {
  const short = countsAt(file, 0);
  const start = 44 + short.changes * 5 + short.kinds * 6 + short.letters + short.leaps * 8 + short.flags;
  const { changes, kinds, letters, leaps, flags } = countsAt(file, start);
  const indexes = start + 44 + changes * 8;
  const kindsAt = indexes + changes;
  const lettersAt = kindsAt + kinds * 6;
  const rule = file.toString("utf8", lettersAt + letters + leaps * 12 + flags).trim();
  const kindTexts = Array.from({ length: kinds }, (_, index) => {
    const at = kindsAt + index * 6;
    const nameAt = lettersAt + file.readUInt8(at + 5);
    return `${file.toString("utf8", nameAt, file.indexOf(0, nameAt))},${file.readInt32BE(at)},${file.readUInt8(at + 4)}`;
  });
  let last = 0n;
  const changeTexts = Array.from({ length: changes }, (_, index) => {
    const when = file.readBigInt64BE(start + 44 + index * 8);
    const since = when - last;
    last = when;
    return `${since.toString(36)},${file.readUInt8(indexes + index)}`;
  });
  return `${kindTexts.join(" ")};${changeTexts.join(" ")};${rule}`;
}

function countsAt(file: Buffer, at: number): Record<"flags" | "leaps" | "changes" | "kinds" | "letters", number> {
  const count = (index: number): number => file.readUInt32BE(at + 20 + index * 4);
  return { flags: count(0) + count(1), leaps: count(2), changes: count(3), kinds: count(4), letters: count(5) };
}
