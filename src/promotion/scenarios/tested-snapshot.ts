import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { copiedPacPrefix, pacNames, promotionLabels } from "../kinds/promotion-names.ts";
import { Snapshot } from "../kinds/snapshot.ts";

/** What is tested and released together: the owner of Snapshots and scenarios. */
export interface SnapshotOwner {
  readonly kind: "Application" | "ComponentGroup";
  readonly name: string;
}

/** A Snapshot as its tests see it. */
export interface TestedSnapshot {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly name: string;
  readonly owner: SnapshotOwner | undefined;
  /** Others may use words that Tenon does not know. */
  readonly type: string | undefined;
  readonly component: string | undefined;
  readonly isPush: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Reads a Snapshot without validating it: its kind may be Konflux's, and a copy in a store was valid when it was written. */
export function readSnapshot(object: KubeObject): TestedSnapshot {
  const { namespace = "", name, labels = {}, annotations = {} } = object.metadata;
  return {
    object,
    namespace,
    name,
    owner: ownerIn(object["spec"]),
    type: labels[promotionLabels.snapshotType],
    component: labels[promotionLabels.component],
    isPush: isPushSnapshot(object),
    labels,
    annotations,
  };
}

/** The owner that the spec of a Snapshot or a scenario names. */
export function ownerIn(spec: unknown): SnapshotOwner | undefined {
  const { application, componentGroup } = isRecord(spec) ? spec : {};
  if (typeof application === "string" && application !== "") return { kind: "Application", name: application };
  if (typeof componentGroup === "string" && componentGroup !== "")
    return { kind: "ComponentGroup", name: componentGroup };
  return undefined;
}

/** A label or an annotation that Pipelines-as-Code gave the build; providers differ in which of the two it is. */
export function pacValue(snapshot: TestedSnapshot, name: (typeof pacNames)[keyof typeof pacNames]): string | undefined {
  const key = `${copiedPacPrefix}${name}`;
  return snapshot.annotations[key] ?? snapshot.labels[key];
}

/**
 * Whether the Snapshot comes from a commit on a branch, and not from a pull request. One without an event counts as pushed: a
 * person made it. A merge queue pushes, but to a branch that is thrown away.
 */
function isPushSnapshot({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean {
  const sourceBranch = annotations[`${copiedPacPrefix}${pacNames.sourceBranch}`] ?? "";
  if (sourceBranch.replace(/^refs\/heads\//, "").startsWith("gh-readonly-queue/")) return false;
  if (labels[promotionLabels.snapshotType] === "group") return false;
  const event = labels[`${copiedPacPrefix}${pacNames.eventType}`];
  const pullRequest = labels[`${copiedPacPrefix}${pacNames.pullRequest}`];
  return event === undefined || event === "push" || event === "Push" || pullRequest === undefined;
}

export const snapshotKind = { apiVersion: Snapshot.apiVersion, kind: Snapshot.kind };
