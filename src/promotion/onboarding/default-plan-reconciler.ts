import { describeError, InputError, type Clock, type Logger } from "#base";
import { ApiError, type KubeClient, type KubeObject, type NewObject, type ObjectStore } from "#kube";
import { done, type FreshStore, type Reconciler, requeueAfter } from "#runtime";
import { patchMetadata } from "../builds/patch-metadata.ts";
import { promotionAnnotations, releaseConditions } from "../kinds/promotion-names.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { ownerIn } from "../scenarios/tested-snapshot.ts";
import { snapshotCondition, trackUpstreamStatus } from "../snapshots/snapshot-condition.ts";
import { decideDefaultPlan } from "./default-plan.ts";

export interface DefaultPlanDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly applications: FreshStore;
  readonly namespaces: ObjectStore;
  readonly mayWrite: () => boolean;
}

/** A quota may be raised, and a right be granted, without a change of anything that is watched. */
const retryMs = 5 * 60_000;

/**
 * Gives each Application of a namespace that asks for it one plan, once: a plan that a person deletes does not come back, and
 * an Application that has one gets no other.
 */
export function defaultPlanReconciler(deps: DefaultPlanDeps): Reconciler {
  return async function reconcileDefaultPlan(key, signal) {
    const application = deps.applications.get(key);
    if (!application || application.metadata.deletionTimestamp !== undefined) return done;
    if (application.metadata.annotations?.[promotionAnnotations.defaultPlan] !== undefined) return done;
    const { namespace = "" } = application.metadata;
    const decided = decideDefaultPlan(application, deps.namespaces.get(namespace));
    if (!deps.mayWrite()) return done;
    if (decided.kind === "none") return await report(application, undefined, deps);
    if (decided.kind === "refused") return await report(application, decided.message, deps);
    const had = await findPlan(application, deps, signal);
    let plan = had;
    try {
      plan ??= await createPlan(decided.plan, deps, signal);
    } catch (error) {
      const isRefusal = error instanceof ApiError && (error.isForbidden || error.isInvalid || error.isBadRequest);
      if (!isRefusal && !(error instanceof InputError)) throw error;
      await report(application, `cannot create its ReleasePlan: ${describeError(error)}`, deps);
      return requeueAfter(retryMs);
    }
    const { name } = plan.metadata;
    if (!had) deps.log.info("default ReleasePlan created", { application: key, plan: name });
    const annotations = { [promotionAnnotations.defaultPlan]: name };
    const marked = await patchMetadata(application, () => ({ annotations }), deps.client, signal);
    if (!marked) return done;
    deps.applications.note(marked);
    return await report(marked, undefined, deps);
  };
}

/** Why an Application has no default plan; undefined if nothing is wrong. */
async function report(application: KubeObject, message: string | undefined, deps: DefaultPlanDeps) {
  const type = releaseConditions.defaultPlan;
  if (message === undefined && !snapshotCondition(application, type)) return done;
  const status = trackUpstreamStatus(application, deps.client, deps);
  if (message === undefined) status.removeCondition(type);
  else status.setCondition({ type, status: "False", reason: "Refused", message });
  await status.write();
  if (!status.isGone) deps.applications.note(status.object);
  return done;
}

/** From the server: the Application and a plan of its own may have been created in one go. */
async function findPlan(
  { metadata: { namespace, name } }: KubeObject,
  { client }: DefaultPlanDeps,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { apiVersion, kind } = ReleasePlan;
  const { items } = await client.list({ apiVersion, kind, namespace }, signal);
  return items.find(({ metadata, spec }) => {
    const owner = ownerIn(spec);
    return metadata.deletionTimestamp === undefined && owner?.kind === "Application" && owner.name === name;
  });
}

/** A plan of this name that exists already is taken for ours: another replica was faster. */
async function createPlan(plan: NewObject, { client }: DefaultPlanDeps, signal: AbortSignal): Promise<KubeObject> {
  const { apiVersion, kind } = plan;
  const { namespace, name = "" } = plan.metadata;
  try {
    return await client.create(plan, { fieldManager: "tenon" }, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isAlreadyExists) throw error;
    return await client.get({ apiVersion, kind, namespace, name }, signal);
  }
}
