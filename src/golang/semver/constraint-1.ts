import { FunctionError } from "../value/go-function.ts";
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
import { compareVersions, parseVersion, type Version, version1 } from "./version.ts";

const wholeComparison = new RegExp(`^${operatorPattern}${spacePattern}*${versionPattern}$`);
const spacesAround = new RegExp(`^${spacePattern}+|(?<!${spacePattern})${spacePattern}+$`, "g");

/** Go's `semver.NewConstraint` of Masterminds/semver 1, which knows only commas between comparisons. */
export function parseConstraint1(text: string): VersionConstraint {
  const groups = rewriteRanges(text, "").split("||");
  return { groups: groups.map((group) => group.split(",").map(parseComparison)) };
}

function parseComparison(text: string): VersionComparison {
  const match = wholeComparison.exec(text.replaceAll(spacesAround, ""));
  if (match === null) throw new FunctionError(`improper constraint: ${text}`);
  const [whole, operator = "", major = "", minor = "", patch = "", prerelease = ""] = match;
  const anyMajor = isWildcard(major);
  const anyMinor = !anyMajor && (minor === "" || isWildcard(minor));
  const anyPatch = !anyMajor && !anyMinor && isWildcard(patch);
  const version = anyMajor
    ? "0.0.0"
    : anyMinor
      ? `${major}.0.0${prerelease}`
      : anyPatch
        ? `${major}${minor}.0${prerelease}`
        : whole.replace(/^[^0-9|xX*v]*/, "");
  return { operator, version: parseWanted(version), anyMinor, anyPatch, isPartial: anyMajor || anyMinor || anyPatch };
}

function parseWanted(text: string): Version {
  try {
    return parseVersion(text, version1);
  } catch (error) {
    if (error instanceof FunctionError) throw new FunctionError("constraint Parser Error");
    throw error;
  }
}

/** Go's `Constraints.Check`. A prerelease is only accepted by a comparison that has one itself. */
export function satisfies1({ groups }: VersionConstraint, version: Version): boolean {
  return groups.some((group) => group.every((comparison) => holds(comparison, version)));
}

function holds(comparison: VersionComparison, version: Version): boolean {
  const { operator, version: bound, anyMinor, isPartial } = comparison;
  const order = compareVersions(version, bound);
  if (operator === "!=" && !isPartial) return order !== 0;
  if (version.prerelease !== "" && bound.prerelease === "") return false;
  switch (operator) {
    case "!=":
      return bound.major !== version.major || (bound.minor !== version.minor && !anyMinor);
    case ">":
      return order > 0;
    case "<":
      return isPartial ? isBelowPart(comparison, version) : order < 0;
    case ">=":
    case "=>":
      return order >= 0;
    case "<=":
    case "=<":
      return isPartial ? isBelowPart(comparison, version) : order <= 0;
    case "~":
    case "~>":
      return isWithinTilde(version, comparison);
    case "^":
      return order >= 0 && version.major === bound.major;
    default:
      return isPartial ? isWithinTilde(version, comparison) : order === 0;
  }
}

/** Minor versions are compared even where the major ones differ. */
function isBelowPart({ version: bound, anyMinor }: VersionComparison, version: Version): boolean {
  return version.major <= bound.major && (anyMinor || version.minor <= bound.minor);
}
