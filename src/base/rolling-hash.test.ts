import { expect, it } from "vitest";
import { fc } from "#seeded";
import { RollingHash } from "./rolling-hash.ts";

it("gives a part of any text the hash that it has by itself", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (before, part, after) => {
      const inside = new RollingHash(before + part + after).of(before.length, part.length);
      expect(inside).toBe(new RollingHash(part).of(0, part.length));
    }),
  );
});

it("tells texts apart by what is in them and by its order", () => {
  const hashes = ["hunter22", "hunter23", "22hunter", "hunter2"].map((text) =>
    new RollingHash(text).of(0, text.length),
  );
  expect(new Set(hashes).size).toBe(4);
});
