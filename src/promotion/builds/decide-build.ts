import { InputError } from "#base";
import { hasFinalizer } from "#runtime";
import type { KubeObject } from "#kube";
import type { ComponentSource } from "../kinds/component-source.ts";
import { promotionAnnotations, promotionFinalizers } from "../kinds/promotion-names.ts";
import type { SnapshotComponent } from "../kinds/snapshot.ts";
import { isPushEvent } from "./build-event.ts";
import { type BuildRun, snapshotsOf } from "./build-run.ts";
import { builtImageOf } from "./built-image.ts";
import { type CandidateImage, sourceOf } from "./candidate-list.ts";

export interface BuildObservation {
  readonly run: BuildRun;
  /** Undefined if it does not exist. */
  readonly component: KubeObject | undefined;
  readonly application: KubeObject | undefined;
  /** Whether a build counts only once Tekton Chains is done with it. */
  readonly requireChains: boolean;
  readonly now: number;
}

export type BuildDecision =
  /** Nothing to do, but to let go of the run. */
  | { readonly kind: "release" }
  /** The run goes on: keep it until its result is known. */
  | { readonly kind: "hold" }
  /** Chains is not done yet. */
  | { readonly kind: "wait"; readonly afterMs: number }
  /** Someone must change something; the message says what. */
  | { readonly kind: "fail"; readonly message: string }
  | {
      readonly kind: "snapshot";
      readonly row: SnapshotComponent;
      readonly candidate: CandidateImage;
      readonly isPush: boolean;
    };

/** How long Chains may take. */
const chainsMs = 5 * 60_000;

/** What to do with a build run. */
export function decideBuild(observation: BuildObservation): BuildDecision {
  const { run, component, application } = observation;
  if (snapshotsOf(run).length > 0 || run.isDeleting || run.state === "failed") return { kind: "release" };
  if (run.component === undefined) {
    return fail("the run names no component: set the label appstudio.openshift.io/component in its pipeline");
  }
  if (!component) return fail(`Component ${run.component} not found: create it, or correct the label of the run`);
  if (run.state === "running") return { kind: "hold" };
  if (!application)
    return fail(`the Application of Component ${run.component} not found: create it, or correct spec.application`);
  return awaitChains(observation) ?? finishBuild(run, component);
}

function fail(message: string): BuildDecision {
  return { kind: "fail", message };
}

/** The annotation counts whatever its value: whether the signature is good is checked at release. */
function awaitChains({ run, requireChains, now }: BuildObservation): BuildDecision | undefined {
  if (!requireChains || run.annotations[promotionAnnotations.chainsSigned] !== undefined) return undefined;
  const left = run.finishedAt + chainsMs - now;
  if (left > 0) return { kind: "wait", afterMs: left };
  return fail(
    `Tekton Chains has not set the annotation ${promotionAnnotations.chainsSigned} within 5 min: look at its log, or run Tenon with --require-chains never`,
  );
}

function finishBuild(run: BuildRun, component: KubeObject): BuildDecision {
  try {
    const { image, repositoryUrl, commit } = builtImageOf(run);
    return {
      kind: "snapshot",
      row: {
        name: component.metadata.name,
        containerImage: image,
        source: builtSource(run, component, repositoryUrl, commit),
      },
      candidate: { image, commit, startedAt: run.startedAt },
      isPush: isPushEvent(run),
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return fail(error.message);
  }
}

function builtSource(
  { annotations }: BuildRun,
  component: KubeObject,
  url: string | undefined,
  commit: string | undefined,
): ComponentSource {
  const known = sourceOf(component, commit)?.git;
  const context = annotations[promotionAnnotations.context] ?? known?.context;
  return {
    git: {
      ...known,
      url: url ?? known?.url ?? "",
      ...(commit === undefined ? {} : { revision: commit }),
      ...(context === undefined ? {} : { context }),
    },
  };
}

/** Whether the run has our finalizer. */
export function isHeld({ object }: BuildRun): boolean {
  return hasFinalizer(object, promotionFinalizers.run);
}
