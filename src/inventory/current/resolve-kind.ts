import { InputError, nearestName } from "#base";
import type { ApiResource } from "#kube";

/** `Kind`, `Kind.group` or `Kind.group/version`. */
const written = /^([^./]+)(?:\.([^/]+))?(?:\/([^/]+))?$/;

/**
 * What a cluster serves under the name that users give a kind; `undefined` if it serves no such kind. A kind that several
 * groups have is that of the core, or an `InputError` that names the groups.
 */
export function resolveKind(type: string, resources: readonly ApiResource[]): ApiResource | undefined {
  const [, kind, group, version] = written.exec(type) ?? [];
  const candidates = resources.filter(
    (resource) =>
      resource.kind === kind &&
      resource.verbs.includes("list") &&
      (group === undefined || resource.group === group) &&
      (version === undefined || resource.version === version),
  );
  // The first of a group is in its preferred version.
  const byGroup = new Map(candidates.toReversed().map((resource) => [resource.group, resource]));
  if (byGroup.size <= 1) return candidates[0];
  const core = byGroup.get("");
  if (core) return core;
  const groups = [...byGroup.keys()].toSorted();
  throw new InputError(`${type} is ambiguous: it exists in ${groups.join(" and ")}`, {
    next: `write ${groups.map((name) => `${type}.${name}`).join(" or ")}`,
  });
}

/** What was probably meant by a kind that no cluster serves. */
export function suggestKind(type: string, resources: readonly ApiResource[]): string | undefined {
  const near = nearestName(type, new Set(resources.map(({ kind }) => kind)));
  return near === undefined ? undefined : `did you mean ${near}?`;
}
