import { ApiError, type KubeObject } from "#kube";
import type { BuildDeps } from "../builds/build-reconciler.ts";
import { readBuildRun } from "../builds/build-run.ts";
import { composeSnapshot, describeOmitted } from "../builds/compose-snapshot.ts";
import { createSnapshot } from "../builds/create-snapshot.ts";
import { patchMetadata } from "../builds/patch-metadata.ts";
import { copiedPacPrefix, pacNames, promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { readSnapshot } from "../scenarios/tested-snapshot.ts";
import { composeGroup, decideGroup, describeMembers, type GroupMember, type GroupState } from "./decide-group.ts";

/** An index of the stores of runs and Snapshots. */
export const byGroup = "pull request group";

export interface GroupDeps extends BuildDeps {
  /** Whether a pull request is still open, as its forge says. */
  isPullRequestOpen(member: GroupMember, signal: AbortSignal): Promise<boolean>;
}

/** Creates the Snapshot of pull requests that belong together, once all of them are built. */
export async function groupSnapshot(
  trigger: KubeObject,
  application: KubeObject,
  components: readonly KubeObject[],
  deps: GroupDeps,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, labels } = readSnapshot(trigger);
  const group = labels[promotionLabels.pullRequestGroup];
  if (group === undefined) return;
  const groupKey = `${namespace}/${group}`;
  const snapshots = deps.snapshots
    .byIndex(byGroup, groupKey)
    .filter((snapshot) => readSnapshot(snapshot).owner?.name === application.metadata.name);
  const names = new Set(components.map(({ metadata }) => metadata.name));
  const runs = deps.runs
    .byIndex(byGroup, groupKey)
    .map(readBuildRun)
    .filter(({ component = "" }) => names.has(component));
  const decision = decideGroup({ trigger, snapshots, components, runs });
  if (decision.kind === "none") return;
  if (decision.kind === "wait") {
    await explain(trigger, decision.state, decision.message, deps, signal);
    return;
  }
  const open: GroupMember[] = [];
  for (const member of decision.members) if (await isOpen(member, trigger, deps, signal)) open.push(member);
  if (open.length < 2) {
    await explain(
      trigger,
      "alone",
      `fewer than 2 components have an open pull request of this group: ${open.map(({ row }) => row.name).join(", ") || "none"}`,
      deps,
      signal,
    );
    return;
  }
  await createGroup(trigger, application, components, open, deps, signal);
}

/** The pull request that triggered is open: it was just built. */
async function isOpen(
  member: GroupMember,
  trigger: KubeObject,
  deps: GroupDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { annotations, name } = member.snapshot;
  if (annotations[promotionAnnotations.pullRequestStatus] === "merged") return false;
  return name === trigger.metadata.name || (await deps.isPullRequestOpen(member, signal));
}

async function createGroup(
  trigger: KubeObject,
  application: KubeObject,
  all: readonly KubeObject[],
  members: readonly GroupMember[],
  deps: GroupDeps,
  signal: AbortSignal,
): Promise<void> {
  const { labels: given, annotations: described } = readSnapshot(trigger);
  const { components, omitted } = composeGroup(all, members);
  const eventType = `${copiedPacPrefix}${pacNames.eventType}`;
  const hash = given[promotionLabels.pullRequestGroup] ?? "";
  const snapshot = composeSnapshot({
    application,
    type: "group",
    components,
    labels: {
      [promotionLabels.pullRequestGroup]: hash,
      ...(given[eventType] === undefined ? {} : { [eventType]: given[eventType] }),
    },
    annotations: {
      [promotionAnnotations.pullRequestGroup]: described[promotionAnnotations.pullRequestGroup] ?? "",
      [promotionAnnotations.groupMembers]: describeMembers(members),
      [promotionAnnotations.workflow]: "pull-request",
      ...(omitted.length === 0 ? {} : { [promotionAnnotations.snapshotStatus]: describeOmitted(omitted) }),
    },
  });
  // The newest build decides the name, so that a group that is created again after a kill finds its Snapshot.
  const startedAt = Math.max(
    ...members.map(({ snapshot: one }) => Number(one.annotations[promotionAnnotations.buildStarted] ?? 0)),
  );
  const id = members.map(({ snapshot: one }) => one.object.metadata.uid).join();
  const isSame = ({ metadata }: KubeObject) =>
    metadata.annotations?.[promotionAnnotations.groupMembers] === describeMembers(members);
  try {
    const made = await createSnapshot(snapshot, { id, startedAt, isSame }, deps.client, signal);
    deps.log.info("group Snapshot created", { namespace: made.metadata.namespace, snapshot: made.metadata.name });
    deps.metrics.snapshotCreated("group", 0);
    await explain(trigger, "created", `created group Snapshot ${made.metadata.name}`, deps, signal);
  } catch (error) {
    if (!(error instanceof ApiError && error.isForbidden)) throw error;
    for (const { snapshot: one } of members) {
      await explain(one.object, "forbidden", `cannot create the group Snapshot: ${error.message}`, deps, signal);
    }
  }
}

async function explain(
  snapshot: KubeObject,
  state: GroupState,
  message: string,
  deps: GroupDeps,
  signal: AbortSignal,
): Promise<void> {
  const known = snapshot.metadata.annotations ?? {};
  const annotations = { [promotionAnnotations.groupStatus]: message, [promotionAnnotations.groupState]: state };
  if (Object.entries(annotations).every(([name, value]) => known[name] === value)) return;
  const patched = await patchMetadata(snapshot, () => ({ annotations }), deps.client, signal);
  if (patched) deps.snapshots.note(patched);
}
