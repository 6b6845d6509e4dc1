import type { JsonObject } from "#base";

/** create: it is not there · update: it is not as it is wanted · adopt: it is, but its marks are not · delete: nobody wants it. */
export type ActionKind = "create" | "update" | "adopt" | "delete";

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
  /** Like `spec.template.spec.containers[0].image`. */
  readonly path: string;
  /** JSON text; absent where there is nothing. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** One write that is to be made. */
export interface Action extends ObjectAddress {
  readonly action: ActionKind;
  /** A sentence for people: why. */
  readonly reason: string;
  readonly diff: readonly ShownChange[];
  /**
   * What the live object was when this was decided; if it is another one now, the action is refused. `generation` is there for
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
  /** The hash of the wanted object, by which a plan read from a file finds its body again. */
  readonly sha256?: string | undefined;
  /** Which of the things that the integration manages it belongs to. */
  readonly attribution?: string | undefined;
  readonly privileged?: boolean | undefined;
}

/** A write that would be due and is not made: who or what forbids it, and how to allow it. */
export interface Refusal extends ObjectAddress {
  readonly action: ActionKind;
  readonly reason: string;
  readonly next: string;
  /** It counts as a failure of the run; otherwise it is only told. */
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

/** What is to be done, decided and not yet done. It is a value: it can be shown, saved, compared and carried out later. */
export interface Plan {
  readonly version: 1;
  /** A hash of the rest: two plans with the same id are the same plan. */
  readonly id: string;
  readonly integration: string;
  readonly integrationVersion: string;
  readonly actions: readonly Action[];
  readonly refusals: readonly Refusal[];
  readonly errors: readonly PlanError[];
  /** How many objects are as they are wanted. */
  readonly unchanged: number;
}
