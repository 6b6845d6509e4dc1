import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import type { ReleaseAttempt } from "../kinds/release.ts";
import { promotionLabels, releaseConditions } from "../kinds/promotion-names.ts";
import { snapshotCondition } from "../snapshots/snapshot-condition.ts";
import type { ReleasePhase } from "./phase-runner.ts";

/** How far a condition of a Release is. `skipped` counts as done. */
export type ConditionState = "absent" | "progressing" | "succeeded" | "skipped" | "failed";

export function conditionState(release: KubeObject, type: string): ConditionState {
  const { status, reason } = snapshotCondition(release, type) ?? {};
  if (status === undefined) return "absent";
  if (status === "True") return reason === "Skipped" ? "skipped" : "succeeded";
  return reason === "Progressing" ? "progressing" : "failed";
}

/** The field of the status that names the run of a phase. */
export const processingFields = {
  tenant: "tenantProcessing",
  managed: "managedProcessing",
  final: "finalProcessing",
} as const satisfies Record<ReleasePhase, string>;

/** A run of a phase, as the status has it. */
export interface PhaseProcessing {
  readonly pipelineRun?: string;
  readonly roleBindings?: Readonly<Record<string, string>>;
  readonly startTime?: string;
  readonly completionTime?: string;
}

export function readProcessing(release: KubeObject, phase: ReleasePhase): PhaseProcessing {
  const value = releaseStatus(release)[processingFields[phase]];
  if (!isRecord(value)) return {};
  const { pipelineRun, roleBindings, startTime, completionTime } = value;
  return {
    ...(typeof pipelineRun === "string" ? { pipelineRun } : {}),
    ...(isRecord(roleBindings) ? { roleBindings: textsIn(roleBindings) } : {}),
    ...(typeof startTime === "string" ? { startTime } : {}),
    ...(typeof completionTime === "string" ? { completionTime } : {}),
  };
}

/** The runs of the managed pipeline so far; only Tenon writes them. */
export function readAttempts(release: KubeObject): readonly ReleaseAttempt[] {
  const value = releaseStatus(release)["managedPipelineAttempts"];
  return Array.isArray(value) ? value : [];
}

export function releaseStatus({ status }: KubeObject): Readonly<Record<string, unknown>> {
  return isRecord(status) ? status : {};
}

export function specOf({ spec }: KubeObject): Readonly<Record<string, unknown>> {
  return isRecord(spec) ? spec : {};
}

/** Whether nothing of the Release runs any more, or ever will. */
export function isReleaseFinished(release: KubeObject): boolean {
  const released = conditionState(release, releaseConditions.released);
  if (released === "absent" || released === "progressing") return false;
  const final = conditionState(release, releaseConditions.final);
  return isReleaseRefused(release) || (final !== "absent" && final !== "progressing");
}

/** Whether the Release was not valid before anything of it ran. */
export function isReleaseRefused(release: KubeObject): boolean {
  return (
    conditionState(release, releaseConditions.validated) === "failed" &&
    conditionState(release, releaseConditions.tenantCollectors) === "absent"
  );
}

/** Whether a controller made it, as its label claims. */
export function claimsAutomation({ metadata: { labels = {} } }: KubeObject): boolean {
  return labels[promotionLabels.automated] === "true";
}

function textsIn(value: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => (typeof text === "string" ? [[key, text] as const] : [])),
  );
}
