import type { KubeObject } from "#kube";
import type { RunObservation } from "../scenarios/evaluate-run.ts";
import type { RunTimeouts } from "../scenarios/run-timeouts.ts";
import type { TestScenario } from "../scenarios/test-scenario.ts";
import type { TestedSnapshot } from "../scenarios/tested-snapshot.ts";

/** A test to run, under a name that it gets once. */
export interface TestRunRequest {
  readonly name: string;
  readonly snapshot: TestedSnapshot;
  readonly scenario: TestScenario;
  readonly timeouts: RunTimeouts;
  /** The page of the run, where one is known. */
  readonly logUrl?: string;
}

export type StartedRun =
  | { readonly kind: "started"; readonly run: KubeObject }
  /** What it needs is not there yet; ask again. */
  | { readonly kind: "waiting"; readonly message: string; readonly afterMs: number }
  /** It cannot run as it is; the message says what to change. */
  | { readonly kind: "refused"; readonly message: string };

/** Runs tests, and learns how they went. */
export interface TestRunner {
  /** Starts the run, or finds the one of that name. */
  start(request: TestRunRequest, signal: AbortSignal): Promise<StartedRun>;
  /** What is known of a run; reads its parts once it has finished. */
  observe(run: KubeObject, signal: AbortSignal): Promise<RunObservation>;
  /** Ends a run that is still going, so that it can clean up. */
  cancel(run: KubeObject, signal: AbortSignal): Promise<void>;
}

/** The service account of test runs, in the namespace of their Snapshot. */
export const runnerAccount = "konflux-integration-runner";
