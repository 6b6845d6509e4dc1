import type { Plan, ResourceInventory } from "#inventory";
import type { AppliedPlan } from "../apply/apply-plan.ts";

/** One run that has ended, with all that reports of it need. */
export interface ManagedRun {
  /**
   * data: the source was read · survey: all clusters were read again · `cluster/namespace`: something drifted there · apply: a person
   * asked for it.
   */
  readonly why: string;
  readonly isSuccess: boolean;
  readonly outcomes: AppliedPlan["outcomes"];
  /** What is left to a later run, because it has to wait. */
  readonly waiting: AppliedPlan["waiting"];
  readonly isDryRun: boolean;
  readonly seconds: number;
  /** The data that it was planned from. */
  readonly data?: { readonly identity: string; readonly commit?: string | undefined } | undefined;
  /** Absent if there was nothing to plan, or if it failed before. */
  readonly plan?: Plan | undefined;
  readonly inventory?: ResourceInventory | undefined;
  /** Why it ended early. */
  readonly error?: string | undefined;
}
