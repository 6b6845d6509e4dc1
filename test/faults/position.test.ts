import { expect, test } from "vitest";
import { fc } from "#seeded";
import { positionFinder } from "./position.ts";

/** The same position, found in the whole body. */
function offsetInWhole(body: string, lines: number, bytes: number): number | undefined {
  const start = body.split("\n", lines).reduce((sum, line) => sum + line.length + 1, 0);
  return start + bytes <= body.length ? start + bytes : undefined;
}

test("a position is found at the same byte however the body is cut into chunks", () => {
  const body = fc.array(fc.constantFrom("a", "{}", "\n"), { maxLength: 20 }).map((pieces) => pieces.join(""));
  const cuts = fc.array(fc.nat(4), { minLength: 5, maxLength: 20 });
  fc.assert(
    fc.property(body, cuts, fc.nat(4), fc.nat(6), (text, sizes, lines, bytes) => {
      const find = positionFinder({ lines, bytes });
      let found = find(Buffer.alloc(0));
      let passed = 0;
      for (const size of [...sizes, text.length]) {
        const chunk = Buffer.from(text.slice(passed, passed + size));
        if (found === undefined) {
          const offset = find(chunk);
          if (offset !== undefined) found = passed + offset;
        }
        passed += chunk.length;
      }
      expect(found).toBe(offsetInWhole(text, lines, bytes));
    }),
    { seed: 1 },
  );
});
