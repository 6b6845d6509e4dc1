import { annotation } from "./annotations.ts";
import type { OpenshiftResource } from "./openshift-resource.ts";

/** As semver.org has it: three numbers, and what may follow them. */
const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** Whether an integration made the object, in this major version of it: it alone may delete it. */
export function isOwned(live: OpenshiftResource, integration: string, integrationVersion: string): boolean {
  if (live.annotation(annotation.integration) !== integration) return false;
  const major = majorOf(live.annotation(annotation.integrationVersion));
  return (
    major !== undefined && major === majorOf(integrationVersion) && live.annotation(annotation.sha256) !== undefined
  );
}

/** The integration that says it owns the object, this one or another. */
export function ownerOf(live: OpenshiftResource): string | undefined {
  return live.annotation(annotation.integration);
}

function majorOf(version: string | undefined): string | undefined {
  return version === undefined ? undefined : semver.exec(version)?.[1];
}
