import type { Stage } from "./names.ts";
import type { Resource, ResourceAction } from "./shared-spec.ts";

/** What a manifest leaves out is not filled in by the API server, so that stored objects stay as they were written. */
export function actionOf(resource: ResourceAction): NonNullable<ResourceAction["do"]> {
  return resource.do ?? "apply";
}

export function stagesOf({ when = ["coupled", "updated"] }: Resource): readonly Stage[] {
  return when;
}

/** Either spelling keeps it. */
export function isRetained({ retainWhenDecoupled, preserveWhenDecoupled }: ResourceAction): boolean {
  return retainWhenDecoupled === true || preserveWhenDecoupled === true;
}
