const condition = "(lastTransitionTime message observedGeneration reason status type)";
const pipelineDefinition =
  "(pipelineref-by-git-resolver(pathInRepo revision url) pipelineref-by-name pipelinespec-from-bundle(bundle name))";
const buildPipeline = `(pull${pipelineDefinition} pull-and-push${pipelineDefinition} push${pipelineDefinition})`;
const source = `(dockerfileUri git(context devfileUrl dockerfileUrl revision url) url versions(build-pipeline${buildPipeline} context dockerfileUri name revision skip-builds))`;
const repositorySettings = "(comment-strategy github-app-token-scope-repos)";
const environment = "environment(configuration(env(name value) target(deploymentTargetClaim(claimName))) name type)";

const computeResources = "computeResources(claims(name request) limits requests)";
const podTemplate =
  "podTemplate(affinity automountServiceAccountToken dnsConfig(nameservers options(name value) searches) dnsPolicy enableServiceLinks env(name value valueFrom(configMapKeyRef(key name optional) fieldRef(apiVersion fieldPath) fileKeyRef(key optional path volumeName) resourceFieldRef(containerName divisor resource) secretKeyRef(key name optional))) hostAliases(hostnames ip) hostNetwork hostUsers imagePullSecrets(name) nodeSelector priorityClassName runtimeClassName schedulerName securityContext tolerations(effect key operator tolerationSeconds value) topologySpreadConstraints(labelSelector(matchExpressions(key operator values) matchLabels) matchLabelKeys maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey whenUnsatisfiable) volumes)";
const pipeline = `pipelineRef(ociStorage params(name value) resolver useEmptyDir) serviceAccountName taskRunSpecs(${computeResources} metadata(annotations labels) pipelineTaskName ${podTemplate} serviceAccountName sidecarSpecs(${computeResources} name) stepSpecs(${computeResources} name) timeout) timeouts(finally pipeline tasks)`;
const collectors = "collectors(items(name params(name value) timeout type) secrets serviceAccountName)";
const run = "completionTime pipelineRun roleBindings(managedRoleBinding secretRoleBinding tenantRoleBinding) startTime";
const mitigations =
  "mitigations(oomKill(maxComputeResources(claims(name request) limits requests) multiplier) timeout(pipeline(increment maxTimeout) task(increment maxTimeout)))";

export interface UpstreamVersion {
  readonly kind: string;
  readonly version: string;
  /** How many property paths its schema has. */
  readonly count: number;
  /** The names of its fields, as `outer(inner inner)`. */
  readonly fields: string;
  /** Fields that Tenon does not accept, with the reason. */
  readonly refused?: Readonly<Record<string, string>>;
}

/** Names of fields of application-api (June 2026), integration-service and release-service (August 2026): facts, for comparison. */
export const upstreamVersions: readonly UpstreamVersion[] = [
  {
    kind: "Application",
    version: "v1alpha1",
    count: 23,
    fields: `spec(appModelRepository(branch context url) description displayName gitOpsRepository(branch context url)) status(conditions${condition} devfile)`,
  },
  {
    kind: "Component",
    version: "v1alpha1",
    count: 149,
    fields: `spec(actions(create-pipeline-configuration-pr(all-versions version versions) trigger-push-build trigger-push-builds) application build-nudges-ref componentName containerImage default-build-pipeline${buildPipeline} env(name value valueFrom(configMapKeyRef(key name optional) fieldRef(apiVersion fieldPath) resourceFieldRef(containerName divisor resource) secretKeyRef(key name optional))) replicas repository-settings${repositorySettings} resources(limits requests) route secret skip-offboarding-pr skipGitOpsResourceGeneration source${source} targetPort) status(build-nudged-by conditions${condition} devfile gitops(branch commitID context repositoryURL resourceGenerationSkipped) lastBuiltCommit lastPromotedImage message pac-repository repository-settings${repositorySettings} versions(configuration-merge-url message name onboarding-status onboarding-time revision skip-builds) webhook)`,
  },
  {
    kind: "Snapshot",
    version: "v1alpha1",
    count: 69,
    fields: `spec(application artifacts(unstableFields) componentGroup components(containerImage name source${source} version) displayDescription displayName) status(conditions${condition} parentSnapshots(created err name))`,
  },
  {
    kind: "IntegrationTestScenario",
    version: "v1beta2",
    count: 28,
    fields: `spec(application componentGroup contexts(description name) dependents params(name value values) resolverRef(params(name value) resolver resourceKind)) status(conditions${condition})`,
  },
  {
    kind: "IntegrationTestScenario",
    version: "v1beta1",
    count: 35,
    fields: `spec(application contexts(description name) ${environment} params(name value values) resolverRef(params(name value) resolver)) status(conditions${condition})`,
    refused: {
      "spec.environment": "environments are not part of a test since Konflux's decision 32; dropped on write",
    },
  },
  {
    kind: "ComponentGroup",
    version: "v1beta2",
    count: 35,
    fields: `spec(components(componentVersion(context name version) kind name) snapshotCreator(taskRef(params(name value) resolver)) testGraph(failFast name)) status(conditions${condition} globalCandidateList(lastPromotedBuildTime lastPromotedCommit lastPromotedImage name url version))`,
  },
  {
    kind: "ReleasePlan",
    version: "v1alpha1",
    count: 258,
    fields: `spec(application ${collectors} componentGroup data finalPipeline(maxRetries params(name value) ${pipeline}) releaseGracePeriodDays target tenantPipeline(maxRetries params(name value) ${pipeline})) status(conditions${condition} releasePlanAdmission(active name))`,
  },
  {
    kind: "ReleasePlanAdmission",
    version: "v1alpha1",
    count: 162,
    fields: `spec(applications ${collectors} componentGroups data environment origin pipeline(maxRetries ${pipeline}) policy) status(conditions${condition} releasePlans(active name) retryInfo(enabled maxRetries ${mitigations} reason))`,
  },
  {
    kind: "Release",
    version: "v1alpha1",
    count: 89,
    fields: `spec(data gracePeriodDays releasePlan snapshot) status(artifacts attribution(author standingAuthorization) automated collectors collectorsProcessing(managedCollectorsProcessing(${run}) tenantCollectorsProcessing(${run})) completionTime conditions${condition} expirationTime finalProcessing(${run}) managedPipelineAttempts(failureReason lastStep lastTask mitigation(memoryLimit memoryRequest pipelinesTimeout taskTimeout tasksTimeout) ${run} status successfulTasks) managedProcessing(${run}) startTime target tenantProcessing(${run}) validation(failedPostValidation time))`,
  },
  {
    kind: "ReleaseServiceConfig",
    version: "v1alpha1",
    count: 38,
    fields: `spec(EmptyDirOverrides(pathInRepo revision url) debug defaultTimeouts(finally pipeline tasks) retryablePipelines(pathInRepo retryPolicy(disableOn(tags) maxRetries ${mitigations}) revision url)) status`,
  },
];

/** `a(b c)` as `a`, `a.b`, `a.c`. */
export function fieldPaths(fields: string): string[] {
  const paths: string[] = [];
  const parents: string[] = [];
  let last = "";
  for (const [token] of fields.matchAll(/[()]|[^() ]+/g)) {
    if (token === "(") parents.push(last);
    else if (token === ")") parents.pop();
    else paths.push((last = [...parents.slice(-1), token].join(".")));
  }
  return paths;
}
