import { expect, test } from "vitest";
import { fc } from "#seeded";
import { isNewerVersion } from "./resource-version.ts";

test("versions are ordered as numbers, also beyond what a JavaScript number holds", () => {
  const version = fc.oneof(fc.bigInt({ min: 0n, max: 20n }), fc.bigInt({ min: 0n, max: 2n ** 64n }));
  fc.assert(
    fc.property(version, version, (one, other) => {
      expect(isNewerVersion(`${one}`, `${other}`)).toBe(one > other);
    }),
  );
});

test.each([
  { version: "a", other: "b", isNewer: true, reason: "their order is unknown, so nothing may be dropped" },
  { version: "b", other: "a", isNewer: true, reason: "their order is unknown, so nothing may be dropped" },
  { version: "a", other: "a", isNewer: false, reason: "it is the same" },
  { version: "7", other: "x7", isNewer: true, reason: "a server that changed its mind is believed" },
  { version: "07", other: "8", isNewer: true, reason: "it is not how a number is written" },
])("$version after $other: $isNewer, because $reason", ({ version, other, isNewer }) => {
  expect(isNewerVersion(version, other)).toBe(isNewer);
});
