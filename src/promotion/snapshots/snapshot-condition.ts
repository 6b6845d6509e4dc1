import { type Clock, isRecord } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import { type Condition, type ConditionChange, type FreshStore, trackStatus, type TrackedStatus } from "#runtime";
import { snapshotConditions } from "../kinds/promotion-names.ts";

interface ConditionDeps {
  readonly client: Pick<KubeClient, "find" | "patch">;
  readonly clock: Clock;
  readonly snapshots: FreshStore;
  readonly mayWrite: () => boolean;
}

/** A condition of a Snapshot, or of another object. */
export function snapshotCondition(object: KubeObject, type: string): Condition | undefined {
  const status = isRecord(object["status"]) ? object["status"] : {};
  const conditions: readonly unknown[] = Array.isArray(status["conditions"]) ? status["conditions"] : [];
  return conditions.find((condition): condition is Condition => isRecord(condition) && condition["type"] === type);
}

/** Sets the condition that says how far a Snapshot is, or removes it. */
export async function setSnapshotCondition(
  snapshot: KubeObject,
  change: Omit<ConditionChange, "type"> | undefined,
  { client, clock, snapshots, mayWrite }: ConditionDeps,
): Promise<void> {
  const status = trackUpstreamStatus(snapshot, client, { clock, mayWrite });
  const type = snapshotConditions.integration;
  if (change) status.setCondition({ type, ...change });
  else status.removeCondition(type);
  await status.write();
  if (!status.isGone) snapshots.note(status.object);
}

/** `trackStatus` for Konflux's kinds, whose status has no observedGeneration. */
export function trackUpstreamStatus(
  object: KubeObject,
  client: ConditionDeps["client"],
  options: Pick<ConditionDeps, "clock" | "mayWrite">,
): TrackedStatus {
  const { generation: _, ...metadata } = object.metadata;
  return trackStatus({ ...object, metadata }, client, options);
}
