import { mapAt } from "./exact.ts";
import type { ManagedObject } from "./managed-object.ts";

/** What scales objects of a namespace. */
export interface Autoscaling {
  /** Objects whose replicas an autoscaler sets, by `scaledKey`. */
  readonly targets: ReadonlySet<string>;
  /** Why they are not known: then any object may be one. */
  readonly unread?: { readonly what: string; readonly next: string; readonly isForbidden?: boolean } | undefined;
}

/** Without the API group: references of autoscalers often have an old one, or none. */
export function scaledKey({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}/${name}`;
}

/** How many pods an object asks for; `undefined` if it does not say. */
export function replicasOf({ body }: ManagedObject): unknown {
  return mapAt(body, "spec")["replicas"];
}
