import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { type pacNames, pacPrefix, promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";

/** A PipelineRun of Tekton that builds a component. */
export interface BuildRun {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly component: string | undefined;
  readonly state: "running" | "succeeded" | "failed";
  readonly isDeleting: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly finishedAt: number;
  /** Only results that are texts. */
  readonly results: ReadonlyMap<string, string>;
}

export const buildRunKind = { apiVersion: "tekton.dev/v1", kind: "PipelineRun" };
/** The kind's definition, which a cluster without Tekton lacks. */
export const pipelineRunDefinition = "pipelineruns.tekton.dev";

/** Whether a PipelineRun builds something. */
export function isBuildRun({ metadata: { labels } }: KubeObject): boolean {
  return labels?.[promotionLabels.runType] === "build";
}

export function readBuildRun(object: KubeObject): BuildRun {
  const { namespace = "", name, uid = "", labels = {}, annotations = {}, creationTimestamp } = object.metadata;
  const status = isRecord(object["status"]) ? object["status"] : {};
  const createdAt = timeOf(creationTimestamp) ?? 0;
  const startedAt = timeOf(status["startTime"]) ?? createdAt;
  return {
    object,
    namespace,
    name,
    uid,
    labels,
    annotations,
    component: labels[promotionLabels.component],
    state: stateOf(status["conditions"]),
    isDeleting: object.metadata.deletionTimestamp !== undefined,
    startedAt,
    finishedAt: timeOf(status["completionTime"]) ?? createdAt,
    results: resultsOf(status["results"]),
  };
}

function stateOf(conditions: unknown): BuildRun["state"] {
  const list: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  const succeeded = list.find((condition) => isRecord(condition) && condition["type"] === "Succeeded");
  const status = isRecord(succeeded) ? succeeded["status"] : undefined;
  if (status === "True") return "succeeded";
  return status === "False" ? "failed" : "running";
}

function resultsOf(results: unknown): ReadonlyMap<string, string> {
  const list: readonly unknown[] = Array.isArray(results) ? results : [];
  return new Map(
    list.flatMap((result) => {
      if (!isRecord(result)) return [];
      const { name, value } = result;
      return typeof name === "string" && typeof value === "string" ? [[name, value.trim()] as const] : [];
    }),
  );
}

function timeOf(text: unknown): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** What Pipelines-as-Code says of a run: a label or an annotation, which of them depends on the value. */
export function pacFact(
  { labels, annotations }: Pick<BuildRun, "labels" | "annotations">,
  name: (typeof pacNames)[keyof typeof pacNames],
): string | undefined {
  return annotations[`${pacPrefix}${name}`] ?? labels[`${pacPrefix}${name}`];
}

/** The Snapshots that were made of a run; empty if there is none yet. */
export function snapshotsOf({ annotations }: Pick<BuildRun, "annotations">): readonly string[] {
  const { snapshot, snapshots } = promotionAnnotations;
  const named = [annotations[snapshot] ?? "", ...(annotations[snapshots] ?? "").split(",")];
  return [...new Set(named.map((name) => name.trim()).filter((name) => name !== ""))];
}
