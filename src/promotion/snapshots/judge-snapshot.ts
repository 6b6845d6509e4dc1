import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { isByDigest } from "../builds/built-image.ts";
import type { CandidateImage } from "../builds/candidate-list.ts";
import { isPromoted } from "../builds/promote-candidate.ts";
import { promotionPolicyOf } from "../builds/promotion-policy.ts";
import { promotionAnnotations, promotionLabels, snapshotConditions } from "../kinds/promotion-names.ts";
import type { SnapshotComponent } from "../kinds/snapshot.ts";
import { readSnapshot } from "../scenarios/tested-snapshot.ts";
import { snapshotCondition } from "./snapshot-condition.ts";

/** The components of a Snapshot; items that others wrote and that make no sense are left out. */
export function componentsOf({ spec }: KubeObject): readonly SnapshotComponent[] {
  const list: readonly unknown[] = isRecord(spec) && Array.isArray(spec["components"]) ? spec["components"] : [];
  return list.filter(
    (item): item is SnapshotComponent =>
      isRecord(item) && typeof item["name"] === "string" && typeof item["containerImage"] === "string",
  );
}

/** Everything that makes a Snapshot invalid: it is neither tested nor released. */
export function findProblems(
  snapshot: KubeObject,
  application: KubeObject | undefined,
  components: readonly KubeObject[],
): readonly string[] {
  const { owner, type } = readSnapshot(snapshot);
  if (owner?.kind === "ComponentGroup") return [];
  if (!application) {
    return [
      owner ? `Application ${owner.name} not found: create it, or delete the Snapshot` : "spec.application is missing",
    ];
  }
  return type === "override" ? judgeOverride(snapshot, application.metadata.name, components) : [];
}

/** What is wrong with the components that a person put together. `components` are those of the Application. */
export function judgeOverride(
  snapshot: KubeObject,
  application: string,
  components: readonly KubeObject[],
): readonly string[] {
  const known = new Set(components.map(({ metadata }) => metadata.name));
  const rows = componentsOf(snapshot);
  const unknown = rows.filter(({ name }) => !known.has(name));
  const moving = rows.filter(({ containerImage }) => !isByDigest(containerImage));
  return [
    ...unknown.map(({ name }) => `Component ${name} not found in Application ${application}`),
    ...moving.map(({ name, containerImage }) => `the image of ${name} has no valid digest: ${containerImage}`),
  ];
}

/** The components of an override that cannot be traced to code; it is valid all the same. */
export function findWarnings(snapshot: KubeObject): readonly string[] {
  if (readSnapshot(snapshot).type !== "override") return [];
  return componentsOf(snapshot)
    .filter(({ source }) => !source?.git?.url || !source.git.revision)
    .map(({ name }) => `${name} has no git source with a url and a revision`);
}

/** The candidates that a valid Snapshot brings: an override at once, others as their Application's policy says. */
export function candidatesOf(snapshot: KubeObject, application: KubeObject): ReadonlyMap<string, CandidateImage> {
  const { type, isPush, component, labels, annotations } = readSnapshot(snapshot);
  if (isPromoted(annotations[promotionAnnotations.candidate])) return new Map();
  const createdAt = Date.parse(snapshot.metadata.creationTimestamp ?? "") || 0;
  const rows = componentsOf(snapshot);
  if (type === "override") {
    return new Map(rows.map((row) => [row.name, candidateOf(row, createdAt)]));
  }
  const isDue =
    promotionPolicyOf(application) === "AfterTests"
      ? snapshotCondition(snapshot, snapshotConditions.tests)?.status === "True"
      : labels[promotionLabels.declaredBuild] !== undefined;
  const built = rows.find(({ name }) => name === component);
  if (type !== "component" || !isPush || !isDue || !built) return new Map();
  const startedAt = Number(annotations[promotionAnnotations.buildStarted] ?? createdAt);
  return new Map([[built.name, candidateOf(built, startedAt)]]);
}

function candidateOf({ containerImage, source }: SnapshotComponent, startedAt: number): CandidateImage {
  return { image: containerImage, commit: source?.git?.revision, startedAt };
}

/**
 * With the policy `AfterTests`, two components whose newest builds failed can block each other for ever: each is tested with the
 * other's old candidate. The names of such components, if there are several.
 */
export function findDeadlock(snapshots: readonly KubeObject[], components: readonly KubeObject[]): readonly string[] {
  const newest = new Map<string, { readonly startedAt: number; readonly hasFailed: boolean }>();
  for (const object of snapshots) {
    const { type, isPush, component, annotations } = readSnapshot(object);
    if (type !== "component" || !isPush || component === undefined) continue;
    const startedAt = Number(annotations[promotionAnnotations.buildStarted] ?? 0);
    if (startedAt < (newest.get(component)?.startedAt ?? 0)) continue;
    newest.set(component, {
      startedAt,
      hasFailed: snapshotCondition(object, snapshotConditions.tests)?.status === "False",
    });
  }
  const blocked = components.filter(({ metadata: { name, annotations } }) => {
    const latest = newest.get(name);
    const promoted = Number(annotations?.[promotionAnnotations.lastBuildTime] ?? 0);
    return latest?.hasFailed === true && Math.floor(latest.startedAt / 1_000) > promoted;
  });
  return blocked.length > 1 ? blocked.map(({ metadata }) => metadata.name).toSorted() : [];
}
