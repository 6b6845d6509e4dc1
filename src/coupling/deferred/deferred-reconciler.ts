import { type Clock, InputError, redact, Semaphore } from "#base";
import { type EventRecorder, type KubeClient, keyOf, type KubeObject, refOf } from "#kube";
import {
  done,
  type FreshStore,
  type Reconciler,
  requeueAfter,
  type Result,
  type TrackedStatus,
  trackStatus,
} from "#runtime";
import { couplingFieldManager, DeferredResource, identityOf, resolvedReasons, warnings } from "../kinds/index.ts";
import { briefOf, failureOf } from "../lifecycle/coupling-failure.ts";
import type { InputWatches } from "../lifecycle/input-watches.ts";
import {
  type AwaitedRef,
  awaitedRefs,
  deferredObject,
  describeAwaited,
  dueTimeMs,
  isResolved,
} from "./decide-deferral.ts";

export interface DeferralDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly objects: FreshStore;
  readonly inputs: InputWatches;
  readonly events: EventRecorder;
  readonly allowClusterScoped: boolean;
  readonly mayWrite: () => boolean;
}

/** A timer cannot wait longer than 24 days. */
const longestWaitMs = 24 * 60 * 60_000;

/**
 * Creates the object of each DeferredResource once, as its service account: after its delay, and when the objects that it waits
 * for exist. One that is resolved is never touched again.
 */
export function deferredReconciler(deps: DeferralDeps): Reconciler {
  return async function reconcileDeferred(key, signal) {
    const { client, clock, mayWrite, objects, inputs } = deps;
    const found = objects.get(key);
    if (!found || found.metadata.deletionTimestamp !== undefined) {
      inputs.forget(key);
      return done;
    }
    const status = trackStatus(found, client, { clock, mayWrite });
    try {
      const deferred = DeferredResource.parse(found);
      return isResolved(deferred) ? done : await resolve(key, deferred, status, deps, signal);
    } catch (error) {
      signal.throwIfAborted();
      reportFailure(error, found, status, deps);
      // Only a change of the DeferredResource itself can help.
      if (error instanceof InputError && error.where?.startsWith("DeferredResource ")) return done;
      throw error;
    } finally {
      await status.write();
      if (!status.isGone) objects.note(status.object);
    }
  };
}

async function resolve(
  key: string,
  deferred: DeferredResource,
  status: TrackedStatus,
  deps: DeferralDeps,
  signal: AbortSignal,
): Promise<Result> {
  const { clock, inputs } = deps;
  const object = deferredObject(deferred);
  const dueMs = dueTimeMs(deferred);
  const leftMs = dueMs - clock.now();
  if (leftMs > 0) {
    const until = new Date(dueMs).toISOString();
    reportPending(
      status,
      "waiting for timeout",
      `waiting until ${until}, ${deferred.spec.timeout} s after the creation`,
    );
    return requeueAfter(Math.min(leftMs, longestWaitMs));
  }
  const identity = identityOf(deferred);
  const client = deps.client.impersonate(identity);
  const awaited = awaitedRefs(deferred);
  inputs.follow(key, awaited, () => ({ user: identity.user, client }));
  const missing = await findMissing(awaited, client, signal);
  if (missing.length > 0) {
    reportPending(status, "waiting for resource", describeAwaited(missing));
    return done;
  }
  const placed = await place(object, deferred, deps, signal);
  const known = await client.find(refOf(placed), signal);
  const made = known ?? (await client.apply(placed, { fieldManager: couplingFieldManager }, signal));
  inputs.forget(key);
  reportResolved(status, made);
  const what = `${made.kind} ${keyOf(made)}`;
  const message = known ? `${what} already exists; it is not changed` : `created ${what}`;
  deps.events.record(status.object, { type: "Normal", reason: "DeferredResourceResolved", message });
  return done;
}

const readsAtOnce = 8;

/** A kind that is not installed yet has no objects. */
async function findMissing(
  awaited: readonly AwaitedRef[],
  client: Pick<KubeClient, "find">,
  signal: AbortSignal,
): Promise<AwaitedRef[]> {
  const slots = new Semaphore(readsAtOnce);
  const find = (ref: AwaitedRef) =>
    client.find(ref, signal).catch((error: unknown) => {
      if (error instanceof InputError) return undefined;
      throw error;
    });
  const found = await Promise.all(awaited.map((ref) => slots.run(() => find(ref), signal)));
  return awaited.filter((_, index) => found[index] === undefined);
}

/** A cluster-scoped object has no namespace, and is refused unless these are allowed. */
async function place(
  object: KubeObject,
  deferred: DeferredResource,
  { client, allowClusterScoped }: DeferralDeps,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { apiVersion, kind } = object;
  const { isNamespaced } = await client.discovery.find({ apiVersion, kind }, signal);
  if (isNamespaced) return object;
  if (!allowClusterScoped) {
    throw new InputError(`kind ${kind} is cluster-scoped`, {
      where: `DeferredResource ${keyOf(deferred)} spec.resource`,
      next: "create a namespaced object, or run the operator with --allow-cluster-scoped",
    });
  }
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** `Resolved` has the words of integration-operator, `Ready` says what exactly is missing. */
function reportPending(status: TrackedStatus, message: string, detail: string): void {
  status.setCondition({ type: "Resolved", status: resolvedReasons.Pending.status, reason: "Pending", message });
  status.removeCondition("Failed");
  status.waiting("Pending", detail);
}

function reportResolved(status: TrackedStatus, { apiVersion, kind, metadata: { name, uid } }: KubeObject): void {
  const { status: is, message } = resolvedReasons.Success;
  status.setCondition({ type: "Resolved", status: is, reason: "Success", message });
  status.removeCondition("Failed");
  status.set({ ownerReferences: { apiVersion, kind, name, uid: uid ?? "" } });
  status.ready(message);
}

function reportFailure(error: unknown, found: KubeObject, status: TrackedStatus, { events }: DeferralDeps): void {
  const { message, isForUser } = failureOf(error, redact);
  const brief = briefOf({});
  if (isForUser) status.stalled("Error", brief);
  else status.failed("Error", brief);
  const { status: is, message: failed } = resolvedReasons.Error;
  status.setCondition({ type: "Resolved", status: is, reason: "Error", message: failed });
  status.setCondition({ type: "Failed", status: "True", reason: "Error", message });
  events.record(found, { type: "Warning", reason: warnings.failed, message: brief });
}
