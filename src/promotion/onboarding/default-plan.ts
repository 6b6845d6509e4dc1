import { createHash } from "node:crypto";
import { z } from "zod";
import type { KubeObject, NewObject } from "#kube";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";

/** The value of the label on everything that onboarding makes. */
export const onboardingName = "tenant";

/** The annotation of a namespace, as the chart of a team writes it. */
const DefaultPlan = z.strictObject({ spec: z.looseObject({}), autoRelease: z.boolean().exactOptional() });

const longestPlan = 16_384;

export type DecidedPlan =
  | { readonly kind: "none" }
  | { readonly kind: "plan"; readonly plan: NewObject }
  /** The message says what a person must change. */
  | { readonly kind: "refused"; readonly message: string };

/** The plan that the namespace of an Application asks for. */
export function decideDefaultPlan(application: KubeObject, namespace: KubeObject | undefined): DecidedPlan {
  const { annotations = {}, name: inNamespace = "" } = namespace?.metadata ?? {};
  const text = annotations[promotionAnnotations.defaultPlan];
  if (text === undefined || text === "") return { kind: "none" };
  const where = `annotation ${promotionAnnotations.defaultPlan} of namespace ${inNamespace}`;
  const given = parseDefaultPlan(text);
  if (!given) {
    const expected = `JSON such as {"spec": {"tenantPipeline": ...}}, of at most ${longestPlan} characters`;
    return { kind: "refused", message: `${where}: expected ${expected}; correct it, or remove it` };
  }
  const author = annotations[promotionAnnotations.defaultPlanAuthor] ?? "";
  if (author === "") {
    const message = `${where}: no one answers for its releases; set the annotation ${promotionAnnotations.defaultPlanAuthor} to your name`;
    return { kind: "refused", message };
  }
  const { apiVersion, kind } = ReleasePlan;
  const labels = {
    [promotionLabels.onboarding]: onboardingName,
    [promotionLabels.autoRelease]: String(given.autoRelease ?? true),
    [promotionLabels.standingAttribution]: "true",
    [promotionLabels.author]: author,
  };
  const metadata = { name: defaultPlanName(application.metadata.name), namespace: inNamespace, labels };
  return {
    kind: "plan",
    plan: { apiVersion, kind, metadata, spec: { ...given.spec, application: application.metadata.name } },
  };
}

function parseDefaultPlan(text: string): z.infer<typeof DefaultPlan> | undefined {
  if (text.length > longestPlan) return undefined;
  try {
    return DefaultPlan.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const suffix = "-released";
const longestApplication = 63 - suffix.length;

/** The same name as in `charts/tenant`: at most 63 characters, and never that of another Application. */
function defaultPlanName(application: string): string {
  if (application.length <= longestApplication) return `${application}${suffix}`;
  const hash = createHash("sha256").update(application).digest("hex").slice(0, 7);
  return `${application.slice(0, longestApplication - 1 - hash.length)}-${hash}${suffix}`;
}
