import { compareText } from "#base";
import type { KubeObject } from "#kube";
import { type BuildRun, snapshotsOf } from "../builds/build-run.ts";
import { composeComponents } from "../builds/candidate-list.ts";
import {
  copiedPacPrefix,
  pacNames,
  promotionAnnotations,
  promotionLabels,
  snapshotConditions,
} from "../kinds/promotion-names.ts";
import type { SnapshotComponent } from "../kinds/snapshot.ts";
import { destinationsOf } from "../reports/report-destination.ts";
import { pacValue, readSnapshot, type TestedSnapshot } from "../scenarios/tested-snapshot.ts";
import { componentsOf } from "./judge-snapshot.ts";
import { snapshotCondition } from "./snapshot-condition.ts";

export interface GroupObservation {
  readonly trigger: KubeObject;
  /** All Snapshots of the Application. */
  readonly snapshots: readonly KubeObject[];
  readonly components: readonly KubeObject[];
  /** The build runs of the group. */
  readonly runs: readonly BuildRun[];
}

export interface GroupMember {
  readonly snapshot: TestedSnapshot;
  readonly row: SnapshotComponent;
  readonly repositoryUrl: string;
  readonly pullRequest: string;
}

/** How far the group Snapshot of a pull request is; `waiting` for builds that run, `blocked` by one that failed. */
export type GroupState = "waiting" | "blocked" | "alone" | "created" | "forbidden";

export type GroupDecision =
  /** The Snapshot is not of a pull request of a group. */
  | { readonly kind: "none" }
  /** The group has its Snapshot. */
  | { readonly kind: "done"; readonly snapshot: string }
  | { readonly kind: "wait"; readonly state: GroupState; readonly message: string }
  /** If enough of these pull requests are open, they become a group Snapshot. */
  | { readonly kind: "members"; readonly group: string; readonly members: readonly GroupMember[] };

/** Whether pull requests of one group are ready to be tested together. */
export function decideGroup({ trigger, snapshots, runs }: GroupObservation): GroupDecision {
  const { type, isPush, labels, annotations } = readSnapshot(trigger);
  const group = labels[promotionLabels.pullRequestGroup];
  const integration = snapshotCondition(trigger, snapshotConditions.integration);
  if (
    type !== "component" ||
    isPush ||
    group === undefined ||
    annotations[promotionAnnotations.pullRequestGroup] === undefined
  ) {
    return { kind: "none" };
  }
  if (integration?.reason === "Canceled") return { kind: "none" };
  const inGroup = snapshots
    .map(readSnapshot)
    .filter((snapshot) => snapshot.labels[promotionLabels.pullRequestGroup] === group);
  const members = newestMembers(inGroup);
  const made = inGroup.find((other) => isGroupOf(other, trigger.metadata.name, members));
  if (made) return { kind: "done", snapshot: made.name };
  const built = labels[promotionLabels.buildRun];
  // The run that this Snapshot was made of may not name it yet.
  const open = newestRuns(runs).find((run) => run.name !== built && isUnfinished(run));
  if (open) {
    return { kind: "wait", state: open.state === "failed" ? "blocked" : "waiting", message: describeOpen(open) };
  }
  return { kind: "members", group, members };
}

function isUnfinished(run: BuildRun): boolean {
  return run.state !== "succeeded" || snapshotsOf(run).length === 0;
}

function describeOpen({ name, component = "", state }: BuildRun): string {
  if (state === "running") return `waits for the build ${name} of ${component}`;
  return state === "failed"
    ? `the build ${name} of ${component} failed, so there is no group Snapshot until it is built again`
    : `waits for the Snapshot of the build ${name} of ${component}`;
}

/** The newest Snapshot of each component of the group, in one order for all that look: they make one group Snapshot. */
function newestMembers(snapshots: readonly TestedSnapshot[]): readonly GroupMember[] {
  const newest = new Map<string, TestedSnapshot>();
  for (const snapshot of snapshots) {
    if (snapshot.type !== "component" || snapshot.isPush || snapshot.component === undefined) continue;
    const known = newest.get(snapshot.component);
    if (!known || startOf(known) < startOf(snapshot)) newest.set(snapshot.component, snapshot);
  }
  const sorted = [...newest].toSorted(([one], [other]) => compareText(one, other));
  return sorted.flatMap(([component, snapshot]) => {
    const row = componentsOf(snapshot.object).find(({ name }) => name === component);
    const repositoryUrl = pacValue(snapshot, pacNames.repositoryUrl) ?? row?.source?.git?.url ?? "";
    const pullRequest = snapshot.labels[`${copiedPacPrefix}${pacNames.pullRequest}`] ?? "";
    return row ? [{ snapshot, row, repositoryUrl, pullRequest }] : [];
  });
}

/** When the build of a Snapshot started, in milliseconds since 1970. */
export function startOf({ annotations }: TestedSnapshot): number {
  return Number(annotations[promotionAnnotations.buildStarted] ?? 0);
}

function newestRuns(runs: readonly BuildRun[]): readonly BuildRun[] {
  const newest = new Map<string, BuildRun>();
  for (const run of runs.filter(({ isDeleting }) => !isDeleting)) {
    const known = newest.get(run.component ?? "");
    if (!known || known.startedAt < run.startedAt) newest.set(run.component ?? "", run);
  }
  return [...newest.values()];
}

/** Whether a group Snapshot was made of this Snapshot, and of others that are still the newest. Pull requests that were closed are not in it. */
function isGroupOf(other: TestedSnapshot, trigger: string, members: readonly GroupMember[]): boolean {
  if (other.type !== "group") return false;
  const names = destinationsOf(other).map(({ snapshot }) => snapshot);
  return names.includes(trigger) && names.every((name) => members.some(({ snapshot }) => snapshot.name === name));
}

/** The value of the annotation that says what a group Snapshot is made of. */
export function describeMembers(members: readonly GroupMember[]): string {
  return JSON.stringify(
    members.map(({ snapshot, row, repositoryUrl, pullRequest }) => ({
      namespace: snapshot.namespace,
      component: row.name,
      buildPipelineRun: snapshot.labels[promotionLabels.buildRun] ?? "",
      snapshot: snapshot.name,
      repoUrl: repositoryUrl,
      pullRequestNumber: pullRequest,
    })),
  );
}

/** The components of the group Snapshot: those of the pull requests, and the candidates of the others. */
export function composeGroup(components: readonly KubeObject[], members: readonly GroupMember[]) {
  return composeComponents(components, new Map(members.map(({ row }) => [row.name, row])));
}
