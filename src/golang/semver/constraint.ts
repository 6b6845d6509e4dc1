import { compareVersions, type Version } from "./version.ts";

/** One comparison of a constraint, such as `>=1.2`. */
export interface VersionComparison {
  readonly operator: string;
  readonly version: Version;
  /** Written without a minor version, or with an x for it: `1`, `1.x`. */
  readonly anyMinor: boolean;
  /** Written without a patch, or with an x for it: `1.2`, `1.2.x`. */
  readonly anyPatch: boolean;
  /** Any of the three is missing; for a lone `*` neither of the above. */
  readonly isPartial: boolean;
}

/** The groups that a constraint joins by `||`, each of comparisons that all must hold. */
export interface VersionConstraint {
  readonly groups: readonly (readonly VersionComparison[])[];
}

const parts = "[0-9|xX*]+";
const identifiers = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";

/** A version in a constraint: its major, minor with point, patch with point, prerelease with hyphen. */
export const versionPattern = `v?(${parts})(\\.${parts})?(\\.${parts})?(-${identifiers})?(?:\\+${identifiers})?`;

export const operatorPattern = "(!=|>=|=>|<=|=<|~>|[=><~^]|)";

// What Go's \s is; JavaScript's has more.
export const spacePattern = "[\\t\\n\\f\\r ]";

const range = new RegExp(
  `${spacePattern}*(${versionPattern})${spacePattern}+-${spacePattern}+(${versionPattern})${spacePattern}*`,
  "g",
);

/** `1.2 - 1.4` is `>= 1.2, <= 1.4`. */
export function rewriteRanges(text: string, end: string): string {
  let rewritten = text;
  for (const match of text.matchAll(range))
    rewritten = rewritten.replace(match[0], () => `>= ${match[1]}, <= ${match[6]}${end}`);
  return rewritten;
}

export function isWildcard(part: string): boolean {
  return /^\.?[xX*]$/.test(part);
}

/** `~1.2.3` is at least that and the same minor version; `~0.0.0` and `~*` are at least that. */
export function isWithinTilde(version: Version, { version: bound, anyMinor, anyPatch }: VersionComparison): boolean {
  if (compareVersions(version, bound) < 0) return false;
  const isZero = bound.major === 0n && bound.minor === 0n && bound.patch === 0n;
  if (isZero && !anyMinor && !anyPatch) return true;
  return version.major === bound.major && (anyMinor || version.minor === bound.minor);
}
