/**
 * Whether `version` comes after `other`. Versions of one resource are numbers in all but name:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 * They outgrow what a JavaScript number holds exactly, so they are compared as text. A version that is not a
 * number, as old aggregated API servers may send, counts as newer if it differs.
 */
export function isNewerVersion(version: string, other: string): boolean {
  if (!isNumber(version) || !isNumber(other)) return version !== other;
  return version.length === other.length ? version > other : version.length > other.length;
}

function isNumber(version: string): boolean {
  return /^(0|[1-9]\d*)$/.test(version);
}
