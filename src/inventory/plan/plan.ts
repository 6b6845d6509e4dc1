import { hash } from "node:crypto";
import type { JsonObject } from "#base";
import type { IgnoredDifference } from "../compare/ignored-fields.ts";
import { canonicalJson } from "../object/canonical-json.ts";
import type { Attribute, Claimant } from "../object/attribution.ts";

/**
 * create: it does not exist · update: it differs from the desired object · replace: the same, in a field that cannot be changed, so it is
 * deleted and created again · adopt: only its marks differ · delete: it is not desired.
 */
export type ActionKind = "create" | "update" | "replace" | "adopt" | "delete";

export interface ObjectAddress {
  readonly cluster: string;
  /** `cluster` for an object that is in no namespace. */
  readonly namespace: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** One field of a diff as people may see it: secrets are masked, but one can see that they changed. */
export interface ShownChange {
  /** Like `spec.template.spec.containers[tool].image`: items of lists that Kubernetes merges by key are named by it. */
  readonly path: string;
  /** JSON text; absent where there is nothing. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** The field managers that set `before`, if others than us did. */
  readonly manager?: string | undefined;
}

/** One write that is to be made. */
export interface Action extends ObjectAddress {
  readonly action: ActionKind;
  /** Why, for people: `new`, `changed`, `no longer desired`. */
  readonly reason: string;
  readonly diff: readonly ShownChange[];
  /**
   * What the live object was when this was decided; if it has changed since, the action is refused. `generation` is there for
   * kinds that count their changes: their `resourceVersion` changes with every report of a controller, which makes no plan stale.
   */
  readonly expected?:
    | { readonly uid: string; readonly resourceVersion: string; readonly generation?: number | undefined }
    | undefined;
  /**
   * What is sent, without the time of the update; absent for deletions. The body of a Secret is not kept in a plan that leaves the
   * process: see `serialisePlan`.
   */
  readonly body?: JsonObject | undefined;
  /** The hash of the desired object, by which a plan read from a file finds its body again. */
  readonly sha256?: string | undefined;
  /** Which of the things that the integration manages it belongs to. */
  readonly attribution?: string | undefined;
  readonly privileged?: boolean | undefined;
  /** What must be as desired and healthy before this is carried out; absent if nothing is waited for. */
  readonly waitsFor?: readonly Prerequisite[] | undefined;
}

/** Something in a namespace that an action waits for. */
export interface Prerequisite extends Target {
  /** Which of the things that the integration manages; what the namespace shares when absent. */
  readonly attribution?: string | undefined;
  /** For how long it must have been healthy; absent if it only has to be. */
  readonly soakMs?: number | undefined;
}

/** A write that is held back: why, and how to allow it. */
export interface PlanRefusal extends ObjectAddress {
  readonly action: ActionKind;
  readonly reason: string;
  readonly next: string;
  /** Whether it counts as a failure of the run. */
  readonly isError: boolean;
}

/** Something that could not be planned. */
export interface PlanError {
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  readonly attribution?: string | undefined;
  readonly what: string;
  readonly next?: string | undefined;
}

/** What is to be done, decided and not yet done. It is a value: it can be shown, saved, compared and applied later. */
export interface Plan {
  readonly version: 1;
  /** A hash of the rest: two plans with the same id are the same plan. */
  readonly id: string;
  readonly integration: string;
  readonly integrationVersion: string;
  readonly actions: readonly Action[];
  readonly refusals: readonly PlanRefusal[];
  readonly errors: readonly PlanError[];
  /** How many live objects are as desired. */
  readonly unchanged: number;
  /** How many live objects differ in fields that are ignored or left to an autoscaler. */
  readonly ignored?: number | undefined;
}

/** How much may be deleted without confirmation; a replacement counts as a deletion. */
export interface DeletionLimits {
  /** Deletions of one plan; default 50. */
  readonly count?: number;
  /** Their share of all that is desired or deleted, from 0 to 1; default 0.5. Fewer than five deletions are always allowed. */
  readonly share?: number;
}

/** A namespace of a cluster. */
export interface Target {
  readonly cluster: string;
  readonly namespace: string;
}

export interface AttributedTarget extends Target {
  /** Which of the things that the integration manages it belongs to, as far as the object says. */
  readonly attribution: string | undefined;
}

export interface PlanOptions extends Claimant {
  /** The field manager of our fields; default `tenon`. */
  readonly fieldManager?: string | undefined;
  /** Differences that are left as they are. */
  readonly ignoreDifferences?: readonly IgnoredDifference[] | undefined;
  readonly deletions?: DeletionLimits;
  /** The user has confirmed that the deletions are intended. */
  readonly deletionsConfirmed?: boolean;
  /** What is declared: one that is still declared but has no desired objects at all keeps those it has. */
  readonly declared?: ReadonlySet<string>;
  /** What a narrowed run looks at; it deletes nothing else. */
  readonly isVisible?: (target: AttributedTarget) => boolean;
  /** What is to be left as it is: its writes are held back, and do not count among the deletions. */
  readonly holdBack?: (target: AttributedTarget) => Pick<PlanRefusal, "reason" | "next"> | undefined;
  /** To which of the declared things a live object belongs; default: what its annotation says. */
  readonly attributionOf?: Attribute;
}

/**
 * The same for the same plan, even if it was read from a file: the bodies of Secrets, which a file does not have, do not count. A
 * body counts as the text that is sent, by its hash: writing all of them with their keys in order would be a tenth of an apply.
 */
export function planId(plan: Omit<Plan, "id">): string {
  const actions = plan.actions.map((action) => ({
    ...action,
    body: action.body && action.kind !== "Secret" ? hash("sha256", JSON.stringify(action.body)) : undefined,
  }));
  return hash("sha256", canonicalJson(JSON.parse(JSON.stringify({ ...plan, actions })))).slice(0, 16);
}
