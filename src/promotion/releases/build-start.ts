import type { KubeObject } from "#kube";
import { promotionAnnotations } from "../kinds/promotion-names.ts";

/** Values up to this one are seconds: some versions of integration-service wrote those. */
const largestSeconds = 10_000_000_000;

/** When the build of a Snapshot started, in milliseconds since 1970; undefined if nothing says so. */
export function buildStartOf({ metadata: { annotations = {} } }: KubeObject): number | undefined {
  const given = Number(annotations[promotionAnnotations.buildStarted] ?? Number.NaN);
  if (!Number.isFinite(given) || given <= 0) return undefined;
  return given <= largestSeconds ? given * 1_000 : given;
}
