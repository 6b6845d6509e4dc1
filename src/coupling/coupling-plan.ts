import type { AdmissionContext } from "./admission/refuse-plug.ts";
import type { Side } from "./kinds/index.ts";
import type { PlacingOptions } from "./lifecycle/prepare-stage.ts";
import type { PlannedCall } from "./plan-calls.ts";
import type { PlannedAction } from "./planned-actions.ts";
import type { PlannedRefusal } from "./planned-refusal.ts";
import type { PlannedMount } from "./projection/plan-mount.ts";
import type { ExplainedMap } from "./sources/explain-values.ts";
import type { SourceReader } from "./sources/resolved.ts";

/** What coupling would do with a plug, without secrets. */
export interface CouplingPlan {
  /** `namespace/name`. */
  readonly plug: string;
  /** `namespace/name`; empty if the plug names none. */
  readonly socket: string;
  /** The socket that the plug would leave first, as `namespace/name`. */
  readonly leaves?: string;
  /** integration-operator coupled the plug: it stays coupled, and the stage runs once. */
  readonly takesOver?: boolean;
  /** The stage that would run if anything changed since the last one; absent if none can. */
  readonly stage?: "coupled" | "updated";
  /** Why the plug would wait, although its values are valid. */
  readonly refusal?: PlannedRefusal;
  /** What the user must correct. */
  readonly problems: readonly string[];
  /** What works, and is probably not meant. */
  readonly warnings?: readonly string[];
  /** What is known only after the stage, such as missing results. */
  readonly open?: string;
  /** Each key, its value unless it is secret, and the source that won. */
  readonly maps: readonly ExplainedMap[];
  /** In order of execution. */
  readonly actions: readonly PlannedAction[];
  /** Where the binding would be mounted. */
  readonly mount?: PlannedMount;
  /** The calls to apparatuses, in order; each before the resources of its side. */
  readonly calls?: readonly PlannedCall[];
}

export interface PlanDeps extends PlacingOptions, AdmissionContext {
  /** Sources, as the service account of a side sees them. */
  readonly reader: (side: Side) => SourceReader;
}
