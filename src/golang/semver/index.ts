export type { Constraint } from "./constraint.ts";
export { parseConstraint1, satisfies1 } from "./constraint-1.ts";
export { parseConstraint, satisfies } from "./constraint-3.ts";
export { satisfiesConstraint } from "./satisfies-constraint.ts";
export {
  compareVersions,
  formatVersion,
  nextVersion,
  parseVersion,
  type Version,
  version1,
  withMetadata,
  withPrerelease,
} from "./version.ts";
export { versionValue, versionValue1 } from "./version-value.ts";
