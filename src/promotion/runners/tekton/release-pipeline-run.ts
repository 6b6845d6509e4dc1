import { createHash } from "node:crypto";
import { keyOf, type KubeObject, type NewObject } from "#kube";
import {
  copiedPacPrefix,
  promotionAnnotations,
  promotionFinalizers,
  promotionLabels,
  upstreamGroup,
} from "../../kinds/promotion-names.ts";
import { Release } from "../../kinds/release.ts";
import { type PhaseParameter, resolverParam } from "../../releases/phase-pipeline.ts";
import type { PhaseRequest, ReleasePhase } from "../../releases/phase-runner.ts";
import { specOf } from "../../releases/release-state.ts";
import { formatTimeouts } from "../../scenarios/run-timeouts.ts";
import { ownerIn } from "../../scenarios/tested-snapshot.ts";
import { pipelineRunKind } from "./test-pipeline-run.ts";

/** What runs of releases get beside their Release. */
export interface ReleaseRunSettings {
  /** A volume that the tasks share. */
  readonly workspace?: { readonly name: string; readonly size: string };
  /** `namespace/name` of the ReleaseServiceConfig. */
  readonly config?: string;
  /** The EnterpriseContractPolicy of the admission. */
  readonly policy?: KubeObject;
  /** Where the policy is checked, from a ConfigMap. */
  readonly verification?: Readonly<Record<string, string>>;
  readonly usesEmptyDir: boolean;
  /** The commit that the revision of a pipeline from git stands for. */
  readonly commit?: string;
}

const suffixLength = 8;

/**
 * The name of a run, looking like one that the API server generated. It is the same for the same phase and attempt of a
 * Release: creating it again after a kill finds the run that there is.
 */
export function releaseRunName({ metadata }: KubeObject, phase: ReleasePhase, attempt: number): string {
  const key = JSON.stringify([metadata.uid, phase, attempt]);
  const suffix = BigInt(`0x${createHash("sha256").update(key).digest("hex")}`)
    .toString(36)
    .slice(0, suffixLength);
  return `${phase}-${suffix}`;
}

/** The PipelineRun of a phase. */
export function releasePipelineRun(request: PhaseRequest, settings: ReleaseRunSettings): NewObject {
  const { phase, namespace, pipeline, release, snapshot, attempt } = request;
  const { namespace: releaseNamespace = "", name, annotations = {} } = release.metadata;
  const owner = ownerIn(snapshot["spec"]);
  const ownerLabel = owner?.kind === "ComponentGroup" ? promotionLabels.componentGroup : promotionLabels.application;
  const timeouts = formatTimeouts(request.timeouts);
  const { resolver, resolverParams, serviceAccountName, taskRunSpecs } = pipeline;
  return {
    ...pipelineRunKind,
    metadata: {
      name: releaseRunName(release, phase, attempt),
      generateName: `${phase}-`,
      namespace,
      labels: {
        [promotionLabels.service]: "release",
        [promotionLabels.runType]: phase,
        [promotionLabels.releaseName]: name,
        [promotionLabels.releaseNamespace]: releaseNamespace,
        [promotionLabels.snapshot]: snapshot.metadata.name,
        ...(owner ? { [ownerLabel]: owner.name } : {}),
        ...(phase === "managed" ? { [promotionLabels.attempt]: String(attempt) } : {}),
      },
      annotations: {
        ...Object.fromEntries(
          Object.entries(annotations).filter(
            ([key]) => key.startsWith(copiedPacPrefix) || key === promotionAnnotations.spanContext,
          ),
        ),
        [promotionAnnotations.primaryResource]: keyOf(release),
        [promotionAnnotations.primaryResourceType]: `${Release.kind}.${upstreamGroup}`,
      },
      finalizers: [promotionFinalizers.release],
    },
    spec: {
      pipelineRef: { resolver, params: resolverParams },
      params: parametersOf(request, settings),
      ...(serviceAccountName === undefined ? {} : { taskRunTemplate: { serviceAccountName } }),
      ...(taskRunSpecs.length === 0 ? {} : { taskRunSpecs }),
      ...(timeouts ? { timeouts } : {}),
      ...(settings.workspace ? { workspaces: [workspaceOf(settings.workspace, settings.usesEmptyDir)] } : {}),
    },
  };
}

/** A parameter that names an object has the name of its kind, with a small first letter. */
function parametersOf(request: PhaseRequest, settings: ReleaseRunSettings): PhaseParameter[] {
  const { phase, pipeline, release, plan, snapshot, admission } = request;
  const { config, policy, verification = {}, commit } = settings;
  const url = pipeline.resolver === "git" ? resolverParam(pipeline, "url") : undefined;
  const managed: readonly (readonly [string, string | undefined])[] = [
    ["releasePlanAdmission", admission && keyOf(admission)],
    ["releaseServiceConfig", config],
    ["enterpriseContractPolicy", policy && JSON.stringify(specOf(policy))],
    ["verify_ec_task_bundle", verification["verify_ec_task_bundle"]],
    ["verify_ec_task_git_revision", verification["verify_ec_task_git_revision"]],
    ["ociStorage", pipeline.ociStorage],
  ];
  const given: readonly (readonly [string, string | undefined])[] = [
    ["release", keyOf(release)],
    ["releasePlan", keyOf(plan)],
    ["snapshot", keyOf(snapshot)],
    ...(phase === "managed" ? managed : []),
    ["taskGitUrl", url],
    ["taskGitRevision", commit],
  ];
  const own = given.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  return [...own, ...pipeline.params.filter(({ name }) => !own.some((param) => param.name === name))];
}

function workspaceOf({ name, size }: { readonly name: string; readonly size: string }, usesEmptyDir: boolean): object {
  if (usesEmptyDir) return { name, emptyDir: {} };
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: size } } };
  return { name, volumeClaimTemplate: { spec } };
}
