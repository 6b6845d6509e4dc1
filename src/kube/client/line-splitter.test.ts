import { expect, it } from "vitest";
import { fc } from "#seeded";
import { LineSplitter } from "./line-splitter.ts";

it("splits the text into the same lines, whatever the chunks", () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).map((all) => all.map((byte) => (byte % 5 === 0 ? 0x0a : byte)));
  fc.assert(
    fc.property(fc.array(bytes), (pieces) => {
      const splitter = new LineSplitter();
      const lines = pieces.flatMap((piece) => splitter.push(piece));
      const rest = splitter.takeRest();
      const expected = splitBytes(Buffer.concat(pieces));
      expect([...lines, rest ?? ""]).toEqual(expected);
      expect(splitter.takeRest()).toBeUndefined();
    }),
  );
});

/** By bytes, then decoded: a decoder that sees several lines at once would join broken characters across them. */
function splitBytes(bytes: Buffer): string[] {
  const parts: number[][] = [[]];
  for (const byte of bytes) {
    if (byte === 0x0a) parts.push([]);
    else parts.at(-1)?.push(byte);
  }
  return parts.map((part) => Buffer.from(part).toString("utf8"));
}

it("distinguishes an empty rest from none", () => {
  const splitter = new LineSplitter();
  expect(splitter.push(Buffer.from("a\n"))).toEqual(["a"]);
  expect(splitter.takeRest()).toBeUndefined();
  expect(splitter.push(Buffer.from("\n\nb"))).toEqual(["", ""]);
  expect(splitter.takeRest()).toBe("b");
});
