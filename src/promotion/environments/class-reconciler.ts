import { done, hasFinalizer, type Reconciler, removeFinalizer } from "#runtime";
import { environmentFinalizer } from "../kinds/environment-names.ts";
import { byClassName, type ClaimDeps } from "./claim-deps.ts";

/**
 * Lets a class go once no claim of it has an environment. Until then it says how those are reached; its deletion ends them.
 */
export function classReconciler({ client, classes, claims, mayWrite }: ClaimDeps): Reconciler {
  return async function reconcileClass(name, signal) {
    const object = classes.get(name);
    if (!object?.metadata.deletionTimestamp || !hasFinalizer(object, environmentFinalizer) || !mayWrite()) return done;
    if (claims.byIndex(byClassName, name).some((claim) => hasFinalizer(claim, environmentFinalizer))) return done;
    await removeFinalizer(object, environmentFinalizer, client, signal);
    classes.release(object, name);
    return done;
  };
}
