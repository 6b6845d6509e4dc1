import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ResumableHash } from "./resumable-hash.ts";

const content = randomBytes(9 * 2 ** 20);
const expected = `sha256:${createHash("sha256").update(content).digest("hex")}`;

function feed(hash: ResumableHash, until: number): void {
  for (let at = hash.position; at < until; at = hash.position)
    hash.update(content.subarray(at, Math.min(at + 65_521, until)));
}

test.for([0, 1, 4 * 2 ** 20, 5_999_999, 8.5 * 2 ** 20])(
  "a hash goes back to %i and ends with the same digest",
  (back) => {
    const hash = new ResumableHash("sha256");
    feed(hash, 8.5 * 2 ** 20);
    const from = hash.rewindTo(back);
    expect(from).toBeLessThanOrEqual(back);
    // Little is read twice.
    expect(back - from).toBeLessThan(5 * 2 ** 20);
    feed(hash, content.length);
    expect(hash.digest()).toBe(expected);
    expect(hash.digest()).toBe(expected);
  },
);
