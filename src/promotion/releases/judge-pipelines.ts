import { keyOf, type KubeObject } from "#kube";
import type { AdmissionMatch } from "./match-admission.ts";
import { builtinName, missingGitParams, type PhasePipeline, readPipeline, resolverParam } from "./phase-pipeline.ts";
import type { ReleasePhase } from "./phase-runner.ts";
import { specOf } from "./release-state.ts";

/** A pipeline that a plan runs, and the field that has it. */
export interface PlacedPipeline {
  readonly phase: ReleasePhase;
  /** The object that has it. */
  readonly holder: KubeObject;
  readonly field: string;
  readonly pipeline: PhasePipeline;
}

const accountName = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

export function pipelinesOf(plan: KubeObject, match: AdmissionMatch | undefined): readonly PlacedPipeline[] {
  const places = [
    { phase: "tenant", holder: plan, field: "tenantPipeline" },
    { phase: "final", holder: plan, field: "finalPipeline" },
    ...(match?.kind === "matched" ? [{ phase: "managed", holder: match.admission, field: "pipeline" } as const] : []),
  ] as const;
  return places.flatMap((place) => {
    const pipeline = readPipeline(specOf(place.holder)[place.field]);
    return pipeline ? [{ ...place, pipeline }] : [];
  });
}

export interface PipelineRules {
  /** Whether pipelines may come from any namespace of the cluster. */
  readonly allowsCluster: boolean;
  /** The pipelines that Tenon runs itself. */
  readonly builtins: readonly string[];
}

/** Why a pipeline is not run at all; undefined if nothing is known against it. */
export function judgeSource(placed: PlacedPipeline, { allowsCluster, builtins }: PipelineRules): string | undefined {
  const { pipeline } = placed;
  const { resolver, serviceAccountName } = pipeline;
  const where = describePlace(placed);
  if (serviceAccountName !== undefined && !accountName.test(serviceAccountName)) {
    return `${where}: serviceAccountName ${JSON.stringify(serviceAccountName)} is not the name of a service account; name one of the namespace that the pipeline runs in`;
  }
  if (resolver === "cluster" && !allowsCluster && !isOwnPipeline(placed)) {
    return `${where}: the resolver cluster is not allowed, because pipelines in the cluster leave no trace of what ran; use git or bundles, or in a plan a Pipeline of its own namespace`;
  }
  const builtin = builtinName(pipeline);
  if (builtin === undefined || builtins.includes(builtin)) return undefined;
  return `${where}: builtin pipeline ${JSON.stringify(builtin)} not found; use one of ${builtins.join(", ")}`;
}

/** Why Tekton could not find a pipeline; undefined if nothing is known against it. */
export function judgeReference(placed: PlacedPipeline): string | undefined {
  const missing = missingGitParams(placed.pipeline);
  if (missing.length === 0) return undefined;
  return `${describePlace(placed)}: the resolver git needs the params url, revision and pathInRepo: add ${missing.join(" and ")}`;
}

export function describePlace({ holder, field }: PlacedPipeline): string {
  return `spec.${field} of ${holder.kind} ${keyOf(holder)}`;
}

/** Onboarding ships one: the tenant may run it anyway, with the same account. */
function isOwnPipeline({ phase, holder, pipeline }: PlacedPipeline): boolean {
  return phase !== "managed" && resolverParam(pipeline, "namespace") === holder.metadata.namespace;
}

/** That the policy is missing which an admission of Tekton's names. */
export function describeMissingPolicy(admission: KubeObject): string {
  const name = String(specOf(admission)["policy"]);
  return `EnterpriseContractPolicy ${admission.metadata.namespace}/${name}, which ReleasePlanAdmission ${keyOf(admission)} names, does not exist`;
}
