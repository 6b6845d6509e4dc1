import { byteLength, compareStrings } from "../value/bytes.ts";
import { FunctionError } from "../value/go-function.ts";
import { quote } from "../value/quote.ts";

/** A version as Masterminds/semver reads it: `v1.2` is one, and stays `v1.2` in `original`. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

/** What differs between the library's version 3, which sprig 3 and Helm use, and version 1, which sprig 2 uses. */
export interface VersionDialect {
  readonly longest: number;
  readonly largest: bigint;
  readonly parser: string;
  readonly invalid: string;
  readonly badSegment: string;
  readonly checksPrerelease: boolean;
}

const version3: VersionDialect = {
  longest: 256,
  largest: (1n << 64n) - 1n,
  parser: "ParseUint",
  invalid: "invalid semantic version",
  badSegment: "error parsing version segment",
  checksPrerelease: true,
};

export const version1: VersionDialect = {
  longest: Infinity,
  largest: (1n << 63n) - 1n,
  parser: "ParseInt",
  invalid: "Invalid Semantic Version",
  badSegment: "Error parsing version segment",
  checksPrerelease: false,
};

const identifiers = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const whole = new RegExp(`^v?(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`);

/** Go's `semver.NewVersion`. Throws a `FunctionError` with Go's text. */
export function parseVersion(text: string, dialect: VersionDialect = version3): Version {
  if (byteLength(text) > dialect.longest)
    throw new FunctionError(`version string is too long (max ${dialect.longest} bytes)`);
  const match = whole.exec(text);
  if (match === null) throw new FunctionError(dialect.invalid);
  const [, major = "", minor = "0", patch = "0", prerelease = "", metadata = ""] = match;
  const version = {
    major: parseSegment(major, dialect),
    minor: parseSegment(minor, dialect),
    patch: parseSegment(patch, dialect),
    prerelease,
    metadata,
    original: text,
  };
  if (dialect.checksPrerelease) checkPrerelease(prerelease);
  return version;
}

function parseSegment(digits: string, { largest, parser, badSegment }: VersionDialect): bigint {
  // Leading zeros apart, more digits are too many in any case.
  const significant = digits.replace(/^0+(?=\d)/, "");
  const value = significant.length > 20 ? largest + 1n : BigInt(significant);
  if (value <= largest) return value;
  throw new FunctionError(`${badSegment}: strconv.${parser}: parsing ${quote(digits)}: value out of range`);
}

function checkPrerelease(prerelease: string): void {
  if (/(?:^|\.)0\d+(?:\.|$)/.test(prerelease)) throw new FunctionError("version segment starts with 0");
}

/** Go's `SetPrerelease`. */
export function withPrerelease(version: Version, prerelease: string): Version {
  checkIdentifiers(prerelease, "invalid prerelease string");
  checkPrerelease(prerelease);
  return renamed({ ...version, prerelease });
}

/** Go's `SetMetadata`. */
export function withMetadata(version: Version, metadata: string): Version {
  checkIdentifiers(metadata, "invalid metadata string");
  return renamed({ ...version, metadata });
}

const wholeIdentifiers = new RegExp(`^${identifiers}$`);

function checkIdentifiers(text: string, problem: string): void {
  if (text !== "" && !wholeIdentifiers.test(text)) throw new FunctionError(problem);
}

/** The next version. A prerelease is before its release, so that its next patch is the release itself. */
export function nextVersion(version: Version, part: "major" | "minor" | "patch"): Version {
  const increment = part === "patch" && version.prerelease !== "" ? 0n : 1n;
  const value = version[part] + increment;
  if (value > version3.largest) throw new FunctionError(`${part} version increment would overflow uint64`);
  const zeroed = { major: { minor: 0n, patch: 0n }, minor: { patch: 0n }, patch: {} }[part];
  return renamed({ ...version, [part]: value, ...zeroed, prerelease: "", metadata: "" });
}

/** What was written with a v still is. */
function renamed(version: Version): Version {
  return { ...version, original: (version.original.startsWith("v") ? "v" : "") + formatVersion(version) };
}

export function formatVersion({ major, minor, patch, prerelease, metadata }: Version): string {
  return `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`;
}

/** -1, 0 or 1; metadata does not count. */
export function compareVersions(left: Version, right: Version): -1 | 0 | 1 {
  for (const part of ["major", "minor", "patch"] as const)
    if (left[part] !== right[part]) return left[part] < right[part] ? -1 : 1;
  if (left.prerelease === right.prerelease) return 0;
  if (left.prerelease === "") return 1;
  return right.prerelease === "" ? -1 : comparePrereleases(left.prerelease, right.prerelease);
}

/** Piece by piece: none before any, numbers before words, numbers by size. */
export function comparePrereleases(left: string, right: string): -1 | 0 | 1 {
  const leftParts = left.split(".");
  const rightParts = right.split(".");
  for (let index = 0; index < Math.max(leftParts.length, rightParts.length); index += 1) {
    const order = compareParts(leftParts[index] ?? "", rightParts[index] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

function compareParts(left: string, right: string): -1 | 0 | 1 {
  if (left === right) return 0;
  if (left === "") return -1;
  if (right === "") return 1;
  const leftNumber = numberOf(left);
  const rightNumber = numberOf(right);
  if (leftNumber === undefined && rightNumber === undefined) return compareStrings(left, right) > 0 ? 1 : -1;
  if (rightNumber === undefined) return -1;
  return leftNumber === undefined || leftNumber > rightNumber ? 1 : -1;
}

/** A number beyond 64 bits is a word. */
function numberOf(part: string): bigint | undefined {
  const significant = /^\d+$/.test(part) ? part.replace(/^0+(?=\d)/, "") : "";
  if (significant === "" || significant.length > 20) return undefined;
  const value = BigInt(significant);
  return value > version3.largest ? undefined : value;
}
