import { expect, test } from "vitest";
import { fc } from "#seeded";
import { compareText } from "./compare-text.ts";

const anyText = fc.string({ unit: "binary" });
const likelyText = fc.string({ unit: fc.constantFrom("a", "b", "\u00e9", "\uffee", "\u{1f600}"), maxLength: 4 });

test.each([
  { reason: "any texts", text: anyText },
  { reason: "texts that begin alike, with characters on both sides of the surrogates", text: likelyText },
])("orders as the bytes of UTF-8 do: $reason", ({ text }) => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(Math.sign(compareText(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
    }),
  );
});
