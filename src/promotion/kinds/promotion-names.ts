/** Strings that users, konflux-ui and clusters with integration-service rely on. Nothing else in `src/` spells them. */

/** The group of the kinds that Konflux has too. Konflux plans to rename it. */
export const upstreamGroup = "appstudio.redhat.com";

const shared = "appstudio.openshift.io";
export const testPrefix = "test.appstudio.openshift.io";
const release = "release.appstudio.openshift.io";

/** Labels and annotations by which Pipelines-as-Code says what triggered a run: `pipelinesascode.tekton.dev/sha`. */
export const pacPrefix = "pipelinesascode.tekton.dev/";
/** The same on a Snapshot and its test runs: `pac.test.appstudio.openshift.io/sha`. */
export const copiedPacPrefix = `pac.${testPrefix}/`;
/** Labels and annotations with these prefixes go from a build run to its Snapshot as they are. */
export const inheritedPrefixes = ["build.appstudio", testPrefix, "custom.appstudio.openshift.io", release] as const;

/** The names behind `pacPrefix` and `copiedPacPrefix`. */
export const pacNames = {
  branch: "branch",
  eventType: "event-type",
  gitProvider: "git-provider",
  installation: "installation-id",
  logUrl: "log-url",
  cancelled: "cancelled",
  organization: "url-org",
  pullRequest: "pull-request",
  repository: "url-repository",
  repositoryUrl: "repo-url",
  sha: "sha",
  sourceBranch: "source-branch",
  sourceProject: "source-project-id",
  sourceRepositoryUrl: "source-repo-url",
  targetProject: "target-project-id",
} as const;

export const promotionLabels = {
  /** On a PipelineRun: `build` or `test`. */
  runType: "pipelines.appstudio.openshift.io/type",
  application: `${shared}/application`,
  component: `${shared}/component`,
  componentGroup: `${shared}/component-group`,
  /** On a test run: its Snapshot. */
  snapshot: `${shared}/snapshot`,
  /** On a Snapshot: the PipelineRun that built its image. */
  buildRun: `${shared}/build-pipelinerun`,
  /** On a Snapshot: `component`, `override` or `group`. */
  snapshotType: `${testPrefix}/type`,
  /** On a Snapshot: when the build ended, in seconds since 1970. */
  buildFinished: `${testPrefix}/pipelinerunfinishtime`,
  pullRequestGroup: `${testPrefix}/pr-group-sha`,
  /** On a Snapshot: `all` or a scenario, to test it again. */
  rerun: `${testPrefix}/run`,
  /** On a test run: its IntegrationTestScenario. */
  scenario: `${testPrefix}/scenario`,
  /** On an IntegrationTestScenario: `true` if its failure does not count. */
  optional: `${testPrefix}/optional`,
  /** On a Snapshot: `false` if it must not be released by itself; on a ReleasePlan: whether it releases by itself. */
  autoRelease: `${release}/auto-release`,
  /** On a ReleasePlan: `true` if its author answers for releases that are made by themselves. */
  standingAttribution: `${release}/standing-attribution`,
  /** On a ReleasePlan or a Release: who answers for it, set at admission. */
  author: `${release}/author`,
  /** On a Release: `true` if a controller created it. */
  automated: `${release}/automated`,
  /** On a ReleasePlan: the ReleasePlanAdmission that it is for. */
  releasePlanAdmission: `${release}/releasePlanAdmission`,
  /** On a ReleasePlanAdmission: `true` refuses releases. */
  blockReleases: `${release}/block-releases`,
  /** On a Release: its Snapshot and its plan. */
  releasedSnapshot: `${release}/snapshot`,
  releasePlan: `${release}/releasePlan`,
  /** On a run of a release: the Release. */
  releaseName: `${release}/name`,
  releaseNamespace: `${release}/namespace`,
  /** On a run of a managed pipeline: how many runs there were before. */
  attempt: `${release}/attempt`,
  /** On a run: `release`. */
  service: `${shared}/service`,
  /** On the last Snapshot before a component was deleted: its uid. */
  deletedComponent: "tenon.dev/deleted-component",
  /** On a Snapshot of a build that was declared: a hash of what was built. */
  declaredBuild: "tenon.dev/build",
  /** On what onboarding a team made. */
  onboarding: "tenon.dev/onboarding",
} as const;

export const promotionAnnotations = {
  /** On a PipelineRun: the directory of the repository that was built. */
  context: `${shared}/context`,
  /** On a build run: its Snapshot. */
  snapshot: `${shared}/snapshot`,
  /** On a build run: all Snapshots made of it, separated by commas. */
  snapshots: `${shared}/snapshots`,
  /** On a build run: the version of a component in the model of ComponentGroups. */
  componentVersion: `${shared}/version`,
  /** On a Snapshot: the results of its tests as JSON. */
  testStatus: `${testPrefix}/status`,
  reportStatus: `${testPrefix}/git-reporter-status`,
  reportFailure: `${testPrefix}/git-reporting-failure`,
  /** On a build run of a pull request: what was last reported of the tests that wait for it, a `BuildReportStatus`. */
  buildReport: `${testPrefix}/snapshot-creation-report`,
  /** On a build run, whether it became a Snapshot; on a Snapshot, what it lacks. */
  snapshotStatus: `${testPrefix}/create-snapshot-status`,
  /** On a Snapshot of a pull request: what became of its group, for people. */
  groupStatus: `${testPrefix}/create-groupsnapshot-status`,
  /** On a Snapshot of a pull request: the same as one word of `GroupState`, for programs. */
  groupState: "tenon.dev/group-state",
  /** On such a Snapshot whose group cannot be tested: `forbidden` once its pull request shows it, `failed` if it cannot. */
  groupReport: "tenon.dev/group-report",
  groupMembers: `${testPrefix}/group-test-info`,
  pullRequestGroup: `${testPrefix}/pr-group`,
  pullRequestStatus: `${testPrefix}/pr-status`,
  /** On a Snapshot: when the build started, in milliseconds since 1970. */
  buildStarted: `${testPrefix}/pipelinerunstarttime`,
  /** On a Snapshot: `push` or `pull-request`. */
  workflow: `${testPrefix}/integration-workflow`,
  sourceRepository: `${testPrefix}/source-repo-url`,
  /** On a Snapshot, before the name of a result of the build. */
  resultPrefix: `${testPrefix}/result-`,
  /** On a build run or an override: whether it entered the candidate list, as JSON. */
  candidate: `${testPrefix}/added-to-global-candidate-list`,
  ignoreSupersession: `${testPrefix}/ignore-supersession`,
  keepSnapshot: `${testPrefix}/keep-snapshot`,
  /** On a Component: when the newest promoted build started, in seconds since 1970. */
  lastBuildTime: `${testPrefix}/lastbuilttime`,
  commentStrategy: `${testPrefix}/comment_strategy`,
  pipelineTimeout: `${testPrefix}/pipeline_timeout`,
  tasksTimeout: `${testPrefix}/tasks_timeout`,
  finallyTimeout: `${testPrefix}/finally_timeout`,
  /** On a scenario: `true` to pass the Snapshot by its name. */
  snapshotAsName: `${testPrefix}/snapshot-param-as-name`,
  /** On a ReleasePlan: a CEL expression that says whether a Snapshot is released. */
  autoRelease: `${release}/auto-release`,
  /** On a ReleasePlan: `Newer` (the default) or `NewerPassed`: which newer Snapshots make one superfluous. */
  supersession: "tenon.dev/supersession",
  /** On a run of another namespace: the Release that it belongs to, as `namespace/name`, and its kind. */
  primaryResource: "operator-sdk/primary-resource",
  primaryResourceType: "operator-sdk/primary-resource-type",
  /** On a build run, its Snapshot, Release and runs: by which traces belong together. */
  spanContext: "tekton.dev/pipelinerunSpanContext",
  /** On a build run, by Tekton Chains: present once it is done, whatever its value. */
  chainsSigned: "chains.tekton.dev/signed",
  /** On an Application: `Immediate` or `AfterTests`. */
  promotionPolicy: "tenon.dev/promotion-policy",
  /** On a Namespace: the plan that each Application gets, as JSON; on an Application: the name of the plan that it got. */
  defaultPlan: "tenon.dev/default-release-plan",
  /** On a Namespace: who answers for releases by those plans, as the label `author` of a plan has it. */
  defaultPlanAuthor: "tenon.dev/default-release-plan-author",
  /** On a Snapshot: a hash of its components, for audits. */
  contentHash: "tenon.dev/content-hash",
} as const;

/** On a Secret with a token for a forge, as Konflux's build-service has them. */
export const scmLabels = {
  /** `scm`. */
  credentials: "appstudio.redhat.com/credentials",
  /** The host of the forge. */
  host: "appstudio.redhat.com/scm.host",
} as const;
/** On such a Secret: the repositories it is for, separated by commas, such as `acme/web, acme/*`. */
export const scmRepositories = "appstudio.redhat.com/scm.repository";

export const promotionFinalizers = {
  /** On a PipelineRun that is not evaluated yet. */
  run: `${testPrefix}/pipelinerun`,
  component: `${testPrefix}/component`,
  /** On a Release and its runs. */
  release: `${upstreamGroup}/release-finalizer`,
} as const;

export const snapshotConditions = {
  integration: "AppStudioIntegrationStatus",
  tests: "AppStudioTestSucceeded",
  released: "AutoReleased",
} as const;

export const releaseConditions = {
  validated: "Validated",
  tenantCollectors: "TenantCollectorsPipelineProcessed",
  managedCollectors: "ManagedCollectorsPipelineProcessed",
  tenant: "TenantPipelineProcessed",
  managed: "ManagedPipelineProcessed",
  final: "FinalPipelineProcessed",
  released: "Released",
  /** On a ReleasePlan or a ReleasePlanAdmission: whether it has a counterpart. */
  matched: "Matched",
  /** On a ReleasePlan that releases by itself: whether someone answers for that. */
  attributed: "Attributed",
  /** On a ReleasePlan: whether it could decide about the last Snapshot. */
  evaluated: "AutoReleaseEvaluated",
  /** On a ReleasePlan: whether a Release by it can succeed, as far as that is known before there is one. */
  releasable: "Releasable",
  /** On an Application without its default plan: why it has none. */
  defaultPlan: "DefaultReleasePlan",
} as const;
