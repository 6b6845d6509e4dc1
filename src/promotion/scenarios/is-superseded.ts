import { copiedPacPrefix, pacNames, promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { pacValue, type TestedSnapshot } from "./tested-snapshot.ts";

/**
 * The set of Snapshots of which only the newest is tested: those of one component and pull request, or of one group of pull
 * requests. Undefined for a push, whose Snapshots are all tested, and for a merge queue, whose branches are all different.
 */
export function supersessionSet(snapshot: TestedSnapshot): string | undefined {
  const { namespace, type, component, isPush, labels, owner } = snapshot;
  if (isPush || owner === undefined) return undefined;
  const group = labels[promotionLabels.pullRequestGroup];
  if (type === "group") return group === undefined ? undefined : `${namespace}/${owner.name}/group/${group}`;
  const pullRequest = labels[`${copiedPacPrefix}${pacNames.pullRequest}`];
  const branch = pacValue(snapshot, pacNames.sourceBranch) ?? "";
  if (component === undefined || pullRequest === undefined || branch.includes("gh-readonly-queue/")) return undefined;
  return `${namespace}/${owner.name}/component/${component}/${pullRequest}`;
}

/** Whether a newer Snapshot of the same set makes the tests of this one pointless. */
export function isSuperseded(snapshot: TestedSnapshot, others: readonly TestedSnapshot[]): boolean {
  const set = supersessionSet(snapshot);
  if (set === undefined || snapshot.annotations[promotionAnnotations.ignoreSupersession] === "true") return false;
  return others.some((other) => supersessionSet(other) === set && isNewer(other, snapshot));
}

/** By the start of the build; Snapshots of one moment are ordered by their names, so that one of them is the newest. */
function isNewer(one: TestedSnapshot, other: TestedSnapshot): boolean {
  const [first, second] = [startOf(one), startOf(other)];
  return first === second ? one.name > other.name : first > second;
}

/** Milliseconds since 1970. Some versions of integration-service wrote seconds. */
function startOf({ annotations, object }: TestedSnapshot): number {
  const given = Number(annotations[promotionAnnotations.buildStarted] ?? Number.NaN);
  if (!Number.isFinite(given) || given <= 0) return Date.parse(object.metadata.creationTimestamp ?? "") || 0;
  return given < 1e11 ? given * 1_000 : given;
}
