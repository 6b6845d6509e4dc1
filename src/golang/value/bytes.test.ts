import { expect, test } from "vitest";
import { fc } from "#seeded";
import { byteLength, compareStrings, fromBytes, canonicalBytes, toBytes } from "./bytes.ts";

const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Uint8Array.from(array));
/** Bytes in which valid and broken sequences are both likely. */
const likely = fc.array(fc.constantFrom(0x41, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0xed, 0xa0));

test("any bytes survive being a string", () => {
  fc.assert(
    fc.property(bytes, (given) => {
      expect(toBytes(fromBytes(given))).toEqual(given);
    }),
  );
  fc.assert(
    fc.property(likely, (given) => {
      expect([...toBytes(fromBytes(Uint8Array.from(given)))]).toEqual(given);
    }),
  );
});

test("a byte order mark is a character like others", () => {
  expect(fromBytes(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41))).toBe("\ufeffA");
});

test("the length of a string is that of its bytes", () => {
  fc.assert(
    fc.property(likely, (given) => {
      expect(byteLength(fromBytes(Uint8Array.from(given)))).toBe(given.length);
    }),
  );
  expect(byteLength("é".repeat(100))).toBe(200);
});

test("pieces of a character that come together become it", () => {
  fc.assert(
    fc.property(likely, fc.nat({ max: 12 }), (given, cut) => {
      const whole = Uint8Array.from(given);
      const pieces = fromBytes(whole.subarray(0, cut)) + fromBytes(whole.subarray(cut));
      expect(canonicalBytes(pieces)).toBe(fromBytes(whole));
    }),
  );
});

test("half a surrogate pair is what Go's decoding makes of it", () => {
  expect(canonicalBytes("a\ud800b")).toBe("a\ufffdb");
});

test("strings are ordered by their bytes", () => {
  fc.assert(
    fc.property(likely, likely, (a, b) => {
      const [left, right] = [Uint8Array.from(a), Uint8Array.from(b)];
      expect(Math.sign(compareStrings(fromBytes(left), fromBytes(right)))).toBe(Math.sign(Buffer.compare(left, right)));
    }),
  );
  expect(Math.sign(compareStrings("\u{1F600}", "\uffee"))).toBe(1);
});
