/** An entry of an object's managedFields, as far as it says who it is. */
export interface FieldManager {
  readonly manager?: unknown;
  readonly operation?: unknown;
  readonly subresource?: unknown;
}

/**
 * Tools that deploy whole objects, under the names they give themselves: kubectl and oc with client-side apply, create and replace,
 * kubectl's own server-side apply, Helm, and the API server's name for writes before it recorded managers.
 */
const deployers = new Set<unknown>([
  "kubectl-client-side-apply",
  "kubectl-create",
  "kubectl-replace",
  "kubectl",
  "oc",
  "helm",
  "before-first-apply",
]);

/** Whether the fields were written by a tool of people, who want them to be ours once the object is. */
export function isDeployer({ manager, subresource }: FieldManager): boolean {
  return deployers.has(manager) && subresource === undefined;
}

/** Whether the fields are those that we applied. */
export function isApplied({ manager, operation }: FieldManager, fieldManager: string): boolean {
  return manager === fieldManager && operation === "Apply";
}
