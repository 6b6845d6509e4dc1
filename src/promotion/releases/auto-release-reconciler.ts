import { describeError, InputError, isRecord } from "#base";
import { ApiError, type KubeObject } from "#kube";
import { done, type Reconciler, requeueAfter } from "#runtime";
import {
  promotionFinalizers,
  promotionLabels,
  releaseConditions,
  snapshotConditions,
} from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { readSnapshot } from "../scenarios/tested-snapshot.ts";
import { ownerKey } from "../scenarios/testing-deps.ts";
import { snapshotCondition, trackUpstreamStatus } from "../snapshots/snapshot-condition.ts";
import {
  decideAutoRelease,
  describeAnswers,
  isReleasable,
  type PlanAnswer,
  releasePair,
} from "./decide-auto-release.ts";
import { byReleasedSnapshot, byReleaseOwner, ownerKeysOf, type ReleaseDeps } from "./release-deps.ts";
import { isInvalidOverride } from "./is-invalid-override.ts";
import { copiedMetadata } from "./release-reconciler.ts";

/** How long a plan that cannot decide, or a Release that cannot be created, keeps a Snapshot open. */
const longestMs = 3 * 60 * 60_000;
const retryMs = 60_000;

/** Creates a Release for each plan that releases a Snapshot by itself: one for a Snapshot and a plan, whatever happens. */
export function autoReleaseReconciler(deps: ReleaseDeps): Reconciler {
  return async function reconcileAutoRelease(key, signal) {
    const object = deps.snapshots.get(key);
    if (!object || object.metadata.deletionTimestamp !== undefined) return done;
    if (snapshotCondition(object, snapshotConditions.released)?.status === "True") return done;
    const { owner, namespace, name } = readSnapshot(object);
    if (!owner) return done;
    const index = ownerKey(namespace, owner);
    const now = deps.clock.now();
    const others = deps.snapshots.byIndex(byReleaseOwner, index).filter(({ metadata }) => metadata.name !== name);
    if (!isReleasable(readSnapshot(object))) return done;
    const isYoung = now - Date.parse(object.metadata.creationTimestamp ?? "") < longestMs;
    if (await isInvalidOverride(object, deps.client, signal)) return isYoung ? requeueAfter(retryMs) : done;
    const plans = await listPlans(namespace, index, deps, signal);
    // Loading CEL takes longer than everything else that a command loads.
    const { evaluateReleaseExpression: evaluate } = await import("./release-expression.ts");
    const decided = decideAutoRelease({ snapshot: object, plans, others, now, evaluate });
    if (!decided || !deps.mayWrite()) return done;
    // Asked before a Release is created: the watch may show a new one earlier than the answer to the request that created it.
    let isReleased = deps.releases.byIndex(byReleasedSnapshot, key).length > 0;
    const onCreated = (): void => {
      if (!isReleased) deps.metrics.firstReleased(object, deps.clock.now());
      isReleased = true;
    };
    const answers = await Promise.all(decided.map((answer) => createRelease(object, answer, onCreated, deps, signal)));
    for (const answer of answers) await reportPlan(answer, deps);
    const isBroken = answers.some(({ kind }) => kind === "broken");
    if (isBroken && isYoung) return requeueAfter(retryMs);
    await concludeSnapshot(object, describeAnswers(name, answers), deps);
    return done;
  };
}

/** From the server: a plan that was created a moment ago may not be in the store, and a Snapshot is asked about once. */
async function listPlans(
  namespace: string,
  owner: string,
  { client }: ReleaseDeps,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { apiVersion, kind } = ReleasePlan;
  const { items } = await client.list({ apiVersion, kind, namespace }, signal);
  return items.filter((plan) => plan.metadata.deletionTimestamp === undefined && ownerKeysOf(plan).includes(owner));
}

async function concludeSnapshot(snapshot: KubeObject, message: string, deps: ReleaseDeps): Promise<void> {
  const status = trackUpstreamStatus(snapshot, deps.client, deps);
  status.setCondition({ type: snapshotConditions.released, status: "True", reason: "AutoReleased", message });
  await status.write();
  if (!status.isGone) deps.snapshots.note(status.object);
}

/** The Release of a plan that asks for one. What the API server refuses is a problem of this plan, and of no other. */
async function createRelease(
  snapshot: KubeObject,
  answer: PlanAnswer,
  onCreated: () => void,
  deps: ReleaseDeps,
  signal: AbortSignal,
): Promise<PlanAnswer> {
  if (answer.kind !== "release") return answer;
  try {
    const release = await ensureRelease(snapshot, answer, onCreated, deps, signal);
    return { ...answer, name: release.metadata.name };
  } catch (error) {
    const isRefusal = error instanceof ApiError && (error.isForbidden || error.isInvalid || error.isBadRequest);
    if (!isRefusal && !(error instanceof InputError)) throw error;
    return { plan: answer.plan, kind: "broken", problem: `cannot create the Release: ${describeError(error)}` };
  }
}

async function ensureRelease(
  snapshot: KubeObject,
  { plan, name }: { readonly plan: KubeObject; readonly name: string },
  onCreated: () => void,
  { client, releases }: ReleaseDeps,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { namespace = "" } = snapshot.metadata;
  const planKey = `${namespace}/${plan.metadata.name}`;
  const snapshotKey = `${namespace}/${snapshot.metadata.name}`;
  const known = releases
    .byIndex(byReleasedSnapshot, snapshotKey)
    .find((release) => releasePair(release).plan === planKey);
  const { apiVersion, kind } = Release;
  let release = known;
  if (!release) {
    const copied = copiedMetadata(snapshot);
    const labels = {
      ...copied.labels,
      [promotionLabels.automated]: "true",
      [promotionLabels.releasedSnapshot]: snapshot.metadata.name,
      [promotionLabels.releasePlan]: plan.metadata.name,
    };
    const spec = { snapshot: snapshot.metadata.name, releasePlan: plan.metadata.name };
    try {
      // With its finalizer and annotations from the start, so that they need no write of their own.
      const { annotations } = copied;
      const metadata = { name, namespace, labels, annotations, finalizers: [promotionFinalizers.release] };
      release = await client.create({ apiVersion, kind, metadata, spec }, {}, signal);
      onCreated();
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isAlreadyExists) throw error;
      release = await client.get({ apiVersion, kind, namespace, name }, signal);
      if (releasePair(release).plan !== planKey || releasePair(release).snapshot !== snapshotKey) throw taken(name);
    }
    releases.note(release);
  }
  if (release.metadata.name !== name || isMarked(release) || !isPlain(release)) return release;
  const ref = { apiVersion, kind, namespace, name };
  const body = { metadata: { uid: release.metadata.uid }, status: { automated: true } };
  const marked = await client.patch(ref, { type: "merge", subresource: "status", body }, signal);
  releases.note(marked);
  return marked;
}

function taken(name: string): InputError {
  return new InputError(`Release ${name} exists already, and is of another Snapshot or plan`, { next: "delete it" });
}

/** Whether it is as Tenon creates it. A Release that a user prepared under its name stays that user's. */
function isPlain({ metadata: { labels = {} }, spec }: KubeObject): boolean {
  return labels[promotionLabels.automated] === "true" && isRecord(spec) && spec["data"] === undefined;
}

/** Users who may create Releases cannot write it, and so cannot pass one off as automated. */
function isMarked({ status }: KubeObject): boolean {
  return isRecord(status) && status["automated"] === true;
}

/** A plan says that it cannot decide, until it can. */
async function reportPlan(answer: PlanAnswer, deps: ReleaseDeps): Promise<void> {
  const { plan } = answer;
  const type = releaseConditions.evaluated;
  const before = snapshotCondition(plan, type);
  if (answer.kind !== "broken" && before?.status !== "False") return;
  const status = trackUpstreamStatus(plan, deps.client, deps);
  status.setCondition(
    answer.kind === "broken"
      ? { type, status: "False", reason: "Failed", message: answer.problem }
      : { type, status: "True", reason: "Succeeded", message: "the plan decides which Snapshots are released" },
  );
  await status.write();
  if (!status.isGone) deps.plans.note(status.object);
}
