import type { KubeObject } from "#kube";
import type { BuildDeps } from "../builds/build-reconciler.ts";
import { readBuildRun } from "../builds/build-run.ts";
import { composeSnapshot, describeOmitted } from "../builds/compose-snapshot.ts";
import { createSnapshot } from "../builds/create-snapshot.ts";
import { describeRefusal, isRefusedCreation } from "../builds/describe-refusal.ts";
import { patchMetadata } from "../builds/patch-metadata.ts";
import { copiedPacPrefix, pacNames, promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { readSnapshot } from "../scenarios/tested-snapshot.ts";
import {
  composeGroup,
  decideGroup,
  describeMembers,
  type GroupMember,
  type GroupState,
  startOf,
} from "./decide-group.ts";

/** An index of the stores of runs and Snapshots. */
export const byGroup = "pull request group";

export interface PullRequestAnswer {
  readonly isOpen: boolean;
  /** Why the forge did not say. */
  readonly problem?: string;
}

export interface GroupDeps extends BuildDeps {
  /** Whether a pull request is still open, as its forge says. */
  readonly askPullRequest: (member: GroupMember, signal: AbortSignal) => Promise<PullRequestAnswer>;
}

/** Creates the Snapshot of pull requests that belong together, once all of them are built. */
export async function groupSnapshot(
  trigger: KubeObject,
  application: KubeObject,
  components: readonly KubeObject[],
  deps: GroupDeps,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, labels, annotations } = readSnapshot(trigger);
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
  if (decision.kind === "done") {
    // The member that led to it says more.
    if (annotations[promotionAnnotations.groupState] === "created") return;
    await explain(trigger, "created", `created group Snapshot ${decision.snapshot}`, deps, signal);
    return;
  }
  if (decision.kind === "wait") {
    await explain(trigger, decision.state, decision.message, deps, signal);
    return;
  }
  // A pull request that joins or is opened again is built, and its own Snapshot leads here: the forge is asked once.
  const state = annotations[promotionAnnotations.groupState];
  if (state === "alone" || state === "created") return;
  const open: GroupMember[] = [];
  const unknown: string[] = [];
  for (const member of decision.members) {
    const { isOpen, problem } = await askMember(member, decision.members, deps, signal);
    if (isOpen) open.push(member);
    if (problem !== undefined) unknown.push(`; cannot ask whether that of ${member.row.name} is open: ${problem}`);
  }
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
  const note = unknown.join("").slice(0, longestNote);
  await createGroup({ trigger, application, components, members: open, note }, deps, signal);
}

const longestNote = 2_000;

/** The pull request that was built last is open. */
async function askMember(
  member: GroupMember,
  all: readonly GroupMember[],
  deps: GroupDeps,
  signal: AbortSignal,
): Promise<PullRequestAnswer> {
  if (member.snapshot.annotations[promotionAnnotations.pullRequestStatus] === "merged") return { isOpen: false };
  const isNewest = all.every((other) => other === member || startOf(other.snapshot) < startOf(member.snapshot));
  return isNewest ? { isOpen: true } : await deps.askPullRequest(member, signal);
}

interface OpenGroup {
  readonly trigger: KubeObject;
  readonly application: KubeObject;
  /** All components of the application. */
  readonly components: readonly KubeObject[];
  readonly members: readonly GroupMember[];
  /** What could not be found out, for people. */
  readonly note: string;
}

async function createGroup(
  { trigger, application, components: all, members, note }: OpenGroup,
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
  const startedAt = Math.max(...members.map(({ snapshot: one }) => startOf(one)));
  const id = members.map(({ snapshot: one }) => one.object.metadata.uid).join();
  const isSame = ({ metadata }: KubeObject) =>
    metadata.annotations?.[promotionAnnotations.groupMembers] === describeMembers(members);
  try {
    const made = await createSnapshot(snapshot, { id, startedAt, isSame }, deps.client, signal);
    deps.log.info("group Snapshot created", { namespace: made.metadata.namespace, snapshot: made.metadata.name });
    deps.metrics.snapshotCreated("group", 0);
    await explain(trigger, "created", `created group Snapshot ${made.metadata.name}${note}`, deps, signal);
  } catch (error) {
    if (!isRefusedCreation(error)) throw error;
    for (const { snapshot: one } of members) {
      await explain(
        one.object,
        "forbidden",
        `cannot create the group Snapshot: ${describeRefusal(error)}`,
        deps,
        signal,
      );
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
  const { groupStatus, groupState, groupReport } = promotionAnnotations;
  if (known[groupStatus] === message && known[groupState] === state) return;
  // A report of an earlier state is sent again if that state comes back.
  const report = known[groupReport] === undefined || state === "forbidden" ? {} : { [groupReport]: null };
  const annotations = { [groupStatus]: message, [groupState]: state, ...report };
  const patched = await patchMetadata(snapshot, () => ({ annotations }), deps.client, signal);
  if (patched) deps.snapshots.note(patched);
}
