import {
  type GoFunction,
  goFunction,
  parseConstraint,
  parseConstraint1,
  parseVersion,
  satisfies,
  satisfies1,
  version1,
  versionValue,
  versionValue1,
} from "#golang";

/** Versions, and constraints on them. */
export const versions: Record<string, GoFunction> = {
  semver: goFunction(["string"], ([version]) => versionValue(parseVersion(version))),
  semverCompare: goFunction(["string", "string"], ([constraint, version]) =>
    satisfies(parseConstraint(constraint), parseVersion(version)),
  ),
};

/** The same with Masterminds/semver 1, which sprig 2.22 uses. */
export const plugVersions: Record<string, GoFunction> = {
  semver: goFunction(["string"], ([version]) => versionValue1(parseVersion(version, version1))),
  semverCompare: goFunction(["string", "string"], ([constraint, version], { budget }) => {
    // Ranges are looked for at every place, and the constraint may be of any length.
    budget.step(Math.ceil((constraint.length * constraint.length) / 32));
    return satisfies1(parseConstraint1(constraint), parseVersion(version, version1));
  }),
};
