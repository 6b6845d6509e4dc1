import { ApiError } from "#kube";

/** Admission plugins answer 403 too. This is what RBAC says: `User "u" cannot patch resource "services"`. */
const fromRbac = /\bcannot \w+ resource\b/;

/** What to do about a right that is missing: which command prints the Role that has it. */
export function grantMissingRight(error: unknown, namespace?: string): string | undefined {
  if (!(error instanceof ApiError && error.isForbidden && fromRbac.test(error.message))) return undefined;
  const where = namespace === undefined ? "" : ` --managed-namespace ${namespace}`;
  return `grant the right: \`tenon doctor --rbac --only manage${where}\` prints the Role`;
}
