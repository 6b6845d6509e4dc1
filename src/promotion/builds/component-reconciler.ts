import { ApiError } from "#kube";
import { addFinalizer, done, hasFinalizer, type Reconciler, removeFinalizer } from "#runtime";
import { promotionAnnotations, promotionFinalizers, promotionLabels } from "../kinds/promotion-names.ts";
import { applicationOf, byApplication, type BuildDeps } from "./build-reconciler.ts";
import { composeComponents } from "./candidate-list.ts";
import { composeSnapshot, describeOmitted } from "./compose-snapshot.ts";
import { createSnapshot } from "./create-snapshot.ts";
import { isRefusedCreation } from "./describe-refusal.ts";

/** A deleted component leaves a last Snapshot of those that remain, which is tested and not released. */
export function componentReconciler(deps: BuildDeps): Reconciler {
  return async function reconcileComponent(key, signal) {
    const component = deps.components.get(key);
    if (!component) return done;
    const { deletionTimestamp } = component.metadata;
    const isHeld = hasFinalizer(component, promotionFinalizers.component);
    if (deletionTimestamp === undefined) {
      if (isHeld || !applicationOf(component, deps)) return done;
      const held = await addFinalizer(component, promotionFinalizers.component, deps.client, signal);
      if (held) deps.components.note(held);
      return done;
    }
    if (!isHeld) return done;
    await createLast(key, Date.parse(deletionTimestamp), deps, signal);
    await removeFinalizer(component, promotionFinalizers.component, deps.client, signal);
    deps.components.release(component, key);
    return done;
  };
}

/** Without an Application, without remaining images, or in a namespace that is being deleted, there is no last Snapshot. */
async function createLast(key: string, deletedAt: number, deps: BuildDeps, signal: AbortSignal): Promise<void> {
  const component = deps.components.get(key);
  const application = component && applicationOf(component, deps);
  if (!application || application.metadata.deletionTimestamp !== undefined) return;
  const owned = deps.components.byIndex(
    byApplication,
    `${application.metadata.namespace}/${application.metadata.name}`,
  );
  const { components, omitted } = composeComponents(owned);
  if (components.length === 0) return;
  const id = component.metadata.uid ?? key;
  const snapshot = composeSnapshot({
    application,
    type: "component",
    components,
    labels: { [promotionLabels.autoRelease]: "false", [promotionLabels.deletedComponent]: id },
    annotations: omitted.length === 0 ? {} : { [promotionAnnotations.snapshotStatus]: describeOmitted(omitted) },
  });
  try {
    const isSame = ({ metadata }: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } }) =>
      metadata.labels?.[promotionLabels.deletedComponent] === id;
    await createSnapshot(snapshot, { id, startedAt: deletedAt, isSame }, deps.client, signal);
  } catch (error) {
    // A quota, a name that is too long for a label, or a namespace that is being deleted must not keep the component.
    if (!isRefusedCreation(error) && !(error instanceof ApiError && error.isNotFound)) throw error;
    deps.log.warn("no last Snapshot of a deleted component", { component: key, error });
  }
}
