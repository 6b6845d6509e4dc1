import type { KubeObject } from "#kube";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";

/** Whether a plan may release a Snapshot without a person: its expression decides, else its label. */
export function releasesByItself({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean {
  const hasExpression = (annotations[promotionAnnotations.autoRelease] ?? "").trim() !== "";
  return hasExpression || labels[promotionLabels.autoRelease] !== "false";
}
