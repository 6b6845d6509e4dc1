import { byteLength } from "../value/bytes.ts";
import { FunctionError } from "../value/go-function.ts";
import { quote } from "../value/quote.ts";
import {
  type VersionComparison,
  type VersionConstraint,
  isWildcard,
  isWithinTilde,
  operatorPattern,
  rewriteRanges,
  spacePattern,
  versionPattern,
} from "./constraint.ts";
import { comparePrereleases, compareVersions, parseVersion, type Version } from "./version.ts";

const longest = 512;
const mostGroups = 32;

/** Go's `semver.NewConstraint` of Masterminds/semver 3. Throws a `FunctionError` with Go's text. */
export function parseConstraint(text: string): VersionConstraint {
  if (byteLength(text) > longest) throw new FunctionError(`constraint string is too long (max ${longest} bytes)`);
  const groups = rewriteRanges(text, " ").split("||");
  if (groups.length > mostGroups) throw new FunctionError(`too many constraint groups (max ${mostGroups})`);
  return { groups: groups.map(parseGroup) };
}

const comparisonAhead = new RegExp(`${spacePattern}*${operatorPattern}${spacePattern}*${versionPattern}`, "y");
const separatorAhead = new RegExp(`${spacePattern}*,|${spacePattern}+(?=[^\\t\\n\\f\\r ])`, "y");
const spacesAhead = new RegExp(`${spacePattern}*`, "y");

/** Comparisons with commas or spaces between them. */
function parseGroup(text: string): VersionComparison[] {
  const comparisons: RegExpExecArray[] = [];
  let at = 0;
  const next = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at;
    const match = expression.exec(text);
    at += match?.[0].length ?? 0;
    return match;
  };
  do {
    const match = next(comparisonAhead);
    if (match === null) throw new FunctionError(`improper constraint: ${quote(text)}`);
    comparisons.push(match);
  } while (next(separatorAhead) !== null);
  next(spacesAhead);
  if (at < text.length) throw new FunctionError(`improper constraint: ${quote(text)}`);
  return comparisons.map(toComparison);
}

function toComparison(match: RegExpExecArray): VersionComparison {
  const [whole, operator = "", major = "", minor = "", patch = "", prerelease = ""] = match;
  const anyMajor = isWildcard(major);
  const anyMinor = !anyMajor && (minor === "" || isWildcard(minor));
  const anyPatch = !anyMajor && !anyMinor && (patch === "" || isWildcard(patch));
  const written = whole.replace(/^[^0-9|xX*v]*/, "");
  const version = anyMajor
    ? `0.0.0${prerelease}`
    : anyMinor
      ? `${major}.0.0${prerelease}`
      : anyPatch
        ? `${major}${minor}.0${prerelease}`
        : written;
  const isPartial = anyMajor || anyMinor || anyPatch;
  return { operator, version: parseWanted(version), anyMinor, anyPatch, isPartial };
}

function parseWanted(text: string): Version {
  try {
    return parseVersion(text);
  } catch (error) {
    if (error instanceof FunctionError) throw new FunctionError("constraint parser error");
    throw error;
  }
}

/** Go's `Constraints.Check`. A prerelease is only accepted by a group that has one itself. */
export function satisfies({ groups }: VersionConstraint, version: Version): boolean {
  return groups.some((group) => {
    if (version.prerelease !== "" && group.every(({ version: bound }) => bound.prerelease === "")) return false;
    return group.every((comparison) => holds(comparison, version));
  });
}

function holds(comparison: VersionComparison, version: Version): boolean {
  const { version: bound, anyMinor, isPartial } = comparison;
  const order = compareVersions(version, bound);
  switch (comparison.operator) {
    case "!=":
      return isPartial ? differsInPart(comparison, version) : order !== 0;
    case ">":
      return isAbove(comparison, version);
    case "<":
      return order < 0;
    case ">=":
    case "=>":
      return order >= 0;
    case "<=":
    case "=<":
      if (!isPartial) return order <= 0;
      return version.major <= bound.major && (version.major < bound.major || anyMinor || version.minor <= bound.minor);
    case "~":
    case "~>":
      return isWithinTilde(version, comparison);
    case "^":
      return order >= 0 && isWithinCaret(comparison, version);
    default:
      return isPartial ? isWithinTilde(version, comparison) : order === 0;
  }
}

function differsInPart({ version: bound, anyMinor, anyPatch }: VersionComparison, version: Version): boolean {
  if (bound.major !== version.major) return true;
  if (anyMinor) return false;
  if (bound.minor !== version.minor) return true;
  if (anyPatch) return comparePrereleases(version.prerelease, bound.prerelease) !== 0;
  return compareVersions(version, bound) !== 0;
}

/** `>11` begins at 12, `>11.1` at 11.2. */
function isAbove({ version: bound, anyMinor, anyPatch, isPartial }: VersionComparison, version: Version): boolean {
  if (isPartial && version.major !== bound.major) return version.major > bound.major;
  if (anyMinor) return false;
  if (anyPatch) return version.minor > bound.minor;
  return compareVersions(version, bound) > 0;
}

/** The first number that is not zero must stay. */
function isWithinCaret({ version: bound, anyMinor, anyPatch }: VersionComparison, version: Version): boolean {
  if (bound.major !== version.major) return false;
  if (bound.major > 0n || anyMinor) return true;
  if (bound.minor !== version.minor) return false;
  if (bound.minor > 0n || anyPatch) return true;
  return bound.patch === version.patch;
}

/** Helm's `IsCompatibleRange`: an invalid version or constraint does not match. */
export function satisfiesConstraint(version: string, constraint: string): boolean {
  try {
    return satisfies(parseConstraint(constraint), parseVersion(version));
  } catch (error) {
    if (error instanceof FunctionError) return false;
    throw error;
  }
}
