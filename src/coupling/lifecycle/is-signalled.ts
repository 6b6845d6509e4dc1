import type { ObjectRef } from "#kube";

/** Of these we hear without asking: all of them are watched. */
export function isSignalled(ref: ObjectRef): ref is ObjectRef & { readonly kind: "Secret" | "ConfigMap" } {
  return ref.apiVersion === "v1" && (ref.kind === "Secret" || ref.kind === "ConfigMap");
}
