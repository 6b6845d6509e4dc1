import { expect, test } from "vitest";
import { fc } from "#seeded";
import { satisfiesConstraint } from "./constraint-3.ts";
import { compareVersions, formatVersion, nextVersion, parseVersion, type Version } from "./version.ts";

const part = fc.bigInt({ min: 0n, max: 20n });
const prerelease = fc.constantFrom("", "alpha", "alpha.1", "alpha.beta", "beta.2", "beta.11", "rc.1", "0");
const version: fc.Arbitrary<Version> = fc
  .tuple(part, part, part, prerelease)
  .map(([major, minor, patch, suffix]) => parseVersion(`${major}.${minor}.${patch}${suffix && `-${suffix}`}`));

test("versions are in one order", () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      expect(compareVersions(a, b) + compareVersions(b, a)).toBe(0);
      const [first = a, second = b, third = c] = [a, b, c].toSorted(compareVersions);
      const orders = [compareVersions(first, second), compareVersions(second, third), compareVersions(first, third)];
      expect(Math.max(...orders)).toBeLessThanOrEqual(0);
    }),
  );
});

test("a version is read back as it was written, and the next one is greater", () => {
  fc.assert(
    fc.property(version, fc.constantFrom("major" as const, "minor" as const, "patch" as const), (a, which) => {
      expect(compareVersions(parseVersion(formatVersion(a)), a)).toBe(0);
      expect(compareVersions(nextVersion(a, which), a)).toBe(1);
    }),
  );
});

test.each([
  { reason: "a version that fits", version: "v1.31.2", constraint: ">=1.19-0", fits: true },
  { reason: "a version that does not", version: "1.18.0", constraint: ">=1.19-0", fits: false },
  { reason: "no version", version: "latest", constraint: "*", fits: false },
  { reason: "no constraint", version: "1.2.3", constraint: ">>1", fits: false },
  {
    reason: "a constraint that would take long to read twice",
    version: "1.2.3",
    constraint: " ".repeat(1e6),
    fits: false,
  },
])("a constraint on $reason", ({ version: given, constraint, fits }) => {
  expect(satisfiesConstraint(given, constraint)).toBe(fits);
});
