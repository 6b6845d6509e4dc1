import type { JsonObject } from "#base";

/** One document that a chart rendered. */
export interface Manifest {
  /** The template it comes from: `chart/templates/deployment.yaml`. */
  readonly source: string;
  /** The document as it was rendered, without `---`. */
  readonly text: string;
  /** What it says; `undefined` if there are only comments. */
  readonly object: JsonObject | undefined;
}

export type HookEvent =
  | "pre-install"
  | "post-install"
  | "pre-delete"
  | "post-delete"
  | "pre-upgrade"
  | "post-upgrade"
  | "pre-rollback"
  | "post-rollback"
  | "test";

/** A document that runs at a moment of a release's life, by its annotation `helm.sh/hook`, and is no part of the release. */
export interface Hook extends Manifest {
  readonly name: string;
  readonly kind: string;
  readonly events: readonly HookEvent[];
  readonly weight: number;
  readonly deletePolicies: readonly string[];
  readonly outputLogPolicies: readonly string[];
}
