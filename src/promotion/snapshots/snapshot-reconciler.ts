import { refOf } from "#kube";
import { done, type Reconciler } from "#runtime";
import { byApplication, type BuildDeps } from "../builds/build-reconciler.ts";
import { patchMetadata } from "../builds/patch-metadata.ts";
import { type CandidateOutcome, promoteCandidate, promotionMark } from "../builds/promote-candidate.ts";
import { promotionPolicyOf } from "../builds/promotion-policy.ts";
import { Application } from "../kinds/application.ts";
import { promotionAnnotations, snapshotConditions } from "../kinds/promotion-names.ts";
import { readSnapshot } from "../scenarios/tested-snapshot.ts";
import { groupSnapshot, type GroupDeps } from "./group-snapshot.ts";
import { candidatesOf, findDeadlock, findProblems, findWarnings } from "./judge-snapshot.ts";
import { setSnapshotCondition, snapshotCondition, trackUpstreamStatus } from "./snapshot-condition.ts";
import type { KubeObject } from "#kube";

export type SnapshotDeps = BuildDeps & GroupDeps;

/** Judges a Snapshot, and brings its images into the candidate list where that is due. */
export function snapshotReconciler(deps: SnapshotDeps): Reconciler {
  return async function reconcileSnapshot(key, signal) {
    const snapshot = deps.snapshots.get(key);
    if (!snapshot || snapshot.metadata.deletionTimestamp !== undefined) return done;
    const { namespace, owner } = readSnapshot(snapshot);
    const application =
      owner?.kind === "Application" ? await findApplication(namespace, owner.name, deps, signal) : undefined;
    const ownerKey = `${namespace}/${owner?.name ?? ""}`;
    const components = deps.components.byIndex(byApplication, ownerKey);
    const problems = findProblems(snapshot, application, components);
    await reportProblems(snapshot, problems, deps);
    if (problems.length > 0 || !application) return done;
    await promoteSnapshot(snapshot, application, deps, signal);
    await groupSnapshot(snapshot, application, components, deps, signal);
    if (promotionPolicyOf(application) === "AfterTests") await reportDeadlock(application, components, deps);
    return done;
  };
}

/** The store may not have an Application that was created a moment ago. */
async function findApplication(namespace: string, name: string, deps: SnapshotDeps, signal: AbortSignal) {
  const { apiVersion, kind } = Application;
  const kept = deps.applications.get(`${namespace}/${name}`);
  return kept ?? (await deps.client.find({ apiVersion, kind, namespace, name }, signal));
}

async function reportProblems(snapshot: KubeObject, problems: readonly string[], deps: SnapshotDeps): Promise<void> {
  const before = snapshotCondition(snapshot, snapshotConditions.integration);
  const message = problems.join("; ");
  if (problems.length > 0) {
    if (before?.reason === "Invalid" && before.message === message) return;
    deps.metrics.snapshotInvalid();
    await setSnapshotCondition(snapshot, { status: "False", reason: "Invalid", message }, deps);
  } else if (before?.reason === "Invalid") {
    await setSnapshotCondition(snapshot, undefined, deps);
  }
}

async function promoteSnapshot(
  snapshot: KubeObject,
  application: KubeObject,
  deps: SnapshotDeps,
  signal: AbortSignal,
): Promise<void> {
  const candidates = candidatesOf(snapshot, application);
  if (candidates.size === 0) return;
  const { namespace } = readSnapshot(snapshot);
  const outcomes: CandidateOutcome[] = [];
  for (const [component, candidate] of candidates) {
    outcomes.push(await promoteCandidate(`${namespace}/${component}`, candidate, deps, signal));
  }
  const outcome = outcomes.includes("promoted") ? "promoted" : (outcomes[0] ?? "gone");
  const warnings = findWarnings(snapshot);
  const annotations = {
    [promotionAnnotations.candidate]: promotionMark(outcome, deps.clock.now()),
    ...(warnings.length === 0 ? {} : { [promotionAnnotations.snapshotStatus]: `warning: ${warnings.join("; ")}` }),
  };
  const patched = await patchMetadata(snapshot, () => ({ annotations }), deps.client, signal);
  if (patched) deps.snapshots.note(patched);
}

async function reportDeadlock(
  application: KubeObject,
  components: readonly KubeObject[],
  deps: SnapshotDeps,
): Promise<void> {
  const { namespace, name } = refOf(application);
  const blocked = findDeadlock(deps.snapshots.byIndex(byApplication, `${namespace}/${name}`), components);
  const type = "PromotionDeadlock";
  if (blocked.length === 0 && snapshotCondition(application, type)?.status !== "True") return;
  const status = trackUpstreamStatus(application, deps.client, deps);
  status.setCondition(
    blocked.length === 0
      ? { type, status: "False", reason: "Promoted", message: "no components block each other" }
      : {
          type,
          status: "True",
          reason: "SeveralBuildsFailed",
          message: `the newest builds of ${blocked.join(", ")} failed their tests, and each is tested with the old images of the others: fix them in one override Snapshot, or set ${promotionAnnotations.promotionPolicy}: Immediate`,
        },
  );
  await status.write();
  deps.applications.note(status.object);
}
