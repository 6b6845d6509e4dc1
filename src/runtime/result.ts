/** How a reconcile ended that did not fail. */
export type Result = { readonly kind: "done" } | { readonly kind: "requeue"; readonly afterMs: number };

/** Nothing more to do until something changes. */
export const done: Result = { kind: "done" };

/** Look again then, or earlier if something changes. */
export function requeueAfter(afterMs: number): Result {
  return { kind: "requeue", afterMs };
}
