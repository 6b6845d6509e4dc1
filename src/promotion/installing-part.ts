import { environmentKinds, spaceKinds } from "./environments/install-environments.ts";
import { upstreamKinds } from "./kinds/promotion-kinds.ts";
import type { PromotePart } from "./promote-parts.ts";

/** The part of the job `promote` that installs a kind, if `tenon run` has `--install-crds`. */
export function installingPart(kind: string): PromotePart {
  if ([...environmentKinds, ...spaceKinds].some((each) => each.kind === kind)) return "environments";
  if (!upstreamKinds.some((each) => each.kind === kind)) return "propagation";
  if (kind === "IntegrationTestScenario") return "tests";
  return kind.startsWith("Release") ? "releases" : "builds";
}
