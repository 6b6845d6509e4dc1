import type { KubeObject } from "#kube";
import { promotionAnnotations } from "../kinds/promotion-names.ts";

/** When a pushed build becomes the candidate of its component: at once, or once the tests of its Snapshot have passed. */
export type PromotionPolicy = "Immediate" | "AfterTests";

/** The policy of an Application; any word but `AfterTests` means the default. */
export function promotionPolicyOf({ metadata: { annotations } }: KubeObject): PromotionPolicy {
  return annotations?.[promotionAnnotations.promotionPolicy] === "AfterTests" ? "AfterTests" : "Immediate";
}
