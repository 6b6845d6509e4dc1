import { InputError } from "#base";
import type { KubeObject } from "#kube";
import { promotionAnnotations } from "../kinds/promotion-names.ts";

const rules = ["Newer", "NewerPassed"] as const;
/** Which newer Snapshot of a component is released in place of an older one: any, or one that passed its tests. */
export type SupersessionRule = (typeof rules)[number];

/** What a plan says about it; an InputError for any other word. */
export function supersessionRuleOf({ metadata: { annotations = {} } }: KubeObject): SupersessionRule {
  const given = annotations[promotionAnnotations.supersession] ?? "Newer";
  const rule = rules.find((known) => known === given);
  if (rule) return rule;
  throw new InputError(`expected Newer or NewerPassed, got ${JSON.stringify(given)}`, {
    where: `annotation ${promotionAnnotations.supersession}`,
  });
}
