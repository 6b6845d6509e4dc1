import { InputError } from "#base";
import { ApiError, describeRef, type KubeObject, refOf } from "#kube";
import { done, type Reconciler, trackStatus, type TrackedStatus } from "#runtime";
import { SpaceRequest } from "../kinds/space-request.ts";
import { claimForSpace, claimRefOfSpace, isClaimOf, withoutStatus } from "./space-claim.ts";
import type { SpaceDeps } from "./space-deps.ts";
import { spaceStateOf } from "./space-state.ts";

/** Makes the claim of a SpaceRequest, and says in its status what became of that. Kubernetes deletes the claim with it. */
export function spaceRequestReconciler(deps: SpaceDeps): Reconciler {
  const { client, clock, mayWrite } = deps;
  return async function reconcileSpaceRequest(key, signal) {
    const object = deps.requests.get(key);
    if (!object || !deps.isServed() || !mayWrite()) return done;
    await using status = trackStatus(object, client, { clock, mayWrite });
    let request: SpaceRequest;
    try {
      request = SpaceRequest.parse(withoutStatus(object));
    } catch (error) {
      throw error instanceof InputError ? status.stalled("InvalidSpec", error) : error;
    }
    const ref = claimRefOfSpace(request);
    const claim = deps.claims.get(`${ref.namespace}/${ref.name}`) ?? (await makeClaim(request, status, deps, signal));
    if (!claim) return done;
    if (!isClaimOf(claim, request)) {
      const error = new InputError(`${describeRef(ref)} exists already and is not this SpaceRequest's`, {
        next: "delete it, or make another SpaceRequest",
      });
      throw status.stalled("UnableToProvision", error);
    }
    const { condition, ...fields } = spaceStateOf(claim);
    status.set(fields);
    status.setCondition(condition);
    return done;
  };
}

async function makeClaim(
  request: SpaceRequest,
  status: TrackedStatus,
  { client, classes }: SpaceDeps,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { tierName, targetClusterRoles = [] } = request.spec;
  const labels = classes.get(tierName)?.metadata.labels ?? {};
  const lacking = targetClusterRoles.find((role) => !Object.hasOwn(labels, role));
  const refuse = (reason: string, message: string): undefined => {
    status.set({ targetClusterURL: undefined, namespaceAccess: undefined });
    status.setCondition({ type: "Ready", status: "False", reason, message });
  };
  if (lacking !== undefined) {
    const message = `no EphemeralClass ${tierName} with the label ${lacking}, which spec.targetClusterRoles asks for`;
    return refuse("UnableToProvision", message);
  }
  // The claim goes with the request, and its deletion may be reported first.
  const live = await client.find(refOf(request), signal);
  if (!live || live.metadata.uid !== request.metadata.uid) return undefined;
  if (live.metadata.deletionTimestamp !== undefined) return refuse("Terminating", "the SpaceRequest was deleted");
  try {
    return await client.create(claimForSpace(request), {}, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isAlreadyExists) throw status.failed("UnableToProvision", error);
    return await client.find(claimRefOfSpace(request), signal);
  }
}
