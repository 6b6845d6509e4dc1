import type { KubeObject } from "#kube";
import type { RunTimeouts } from "../scenarios/run-timeouts.ts";
import type { AttemptFailure } from "./attempt-failure.ts";
import type { PhasePipeline } from "./phase-pipeline.ts";

/** The pipelines of a Release, in their order; also the label of their runs. */
export const releasePhases = ["tenant", "managed", "final"] as const;
export type ReleasePhase = (typeof releasePhases)[number];

/** What a phase of a Release runs. */
export interface PhaseRequest {
  readonly phase: ReleasePhase;
  /** Where it runs: the namespace of the plan, or that of the admission for `managed`. */
  readonly namespace: string;
  readonly pipeline: PhasePipeline;
  readonly release: KubeObject;
  readonly plan: KubeObject;
  readonly snapshot: KubeObject;
  readonly admission: KubeObject | undefined;
  /** Of the Release, the plan and the admission, merged. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly timeouts: RunTimeouts;
  /** How many runs there were before. */
  readonly attempt: number;
  /** The run of this attempt that the status names, as `namespace/name`. */
  readonly known: string | undefined;
}

/** How far the run of a phase is. */
export type PhaseProgress =
  | {
      readonly kind: "running";
      /** `namespace/name` of the object that runs it. */
      readonly run?: string;
      /** What it waits for, if that is worth knowing. */
      readonly message?: string;
      /** When to look again, where nothing else will say so. */
      readonly afterMs?: number;
    }
  | {
      readonly kind: "succeeded";
      readonly run?: string;
      /** Added to `status.artifacts` of the Release. */
      readonly artifacts?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: "failed";
      readonly run?: string;
      /** What a user must change, or why the run failed. */
      readonly message: string;
      readonly failure?: AttemptFailure;
    };

/** Runs the pipelines of Releases, and learns how they went. Whatever it starts, it finds again after a kill. */
export interface PhaseRunner {
  /** Starts the run of a phase, or finds the one of this attempt. What may pass by itself is thrown. */
  advance(request: PhaseRequest, signal: AbortSignal): Promise<PhaseProgress>;
  /** The outcome of all phases is noted, and the runs are no longer needed. */
  conclude(release: KubeObject, signal: AbortSignal): Promise<void>;
  /** The Release is deleted: ends its runs and removes them. */
  remove(release: KubeObject, signal: AbortSignal): Promise<void>;
}
