import { byLine, byTest, type SeedDocument } from "./seed-document.ts";

const job = "src/cli/promote/promote-job.live.test.ts";
const kinds = "src/promotion/kinds/promotion-kinds.live.test.ts";
const autoRelease = "src/promotion/releases/auto-release.live.test.ts";
const releases = "src/promotion/releases/releases.live.test.ts";
const intake = "src/promotion/builds/intake.live.test.ts";
const testRuns = "src/promotion/scenarios/test-runs.live.test.ts";
const propagation = "src/promotion/propagation/propagation.live.test.ts";
const stages = "src/cli/promote/stages.live.test.ts";
const renovate = "test/e2e/renovate.test.ts";
const defaultPlans = "src/promotion/onboarding/default-plans.live.test.ts";
const tenant = "test/charts/tenant-chart/tenant-chart.live.test.ts";

const chain = "test/e2e/chain.test.ts";
const pushed = "a push to Gitea becomes an image, a Snapshot that passes in an environment of its own";
const claims = "src/promotion/environments/claims.live.test.ts";

const bindings = byTest(
  "src/promotion/spaces/spaces.live.test.ts",
  "a SpaceBinding gives a person the role in the space, and takes it away again",
);
const claimed = byTest(
  "test/e2e/resource-claims.test.ts",
  "P66: a TaskRun deploys a Snapshot with the kubeconfig it gets by its claim, tests it there, sees nothing else, and leaves nothing",
);
const konfluxOnly = "A service of Konflux, of which Tenon has no counterpart; there is nothing to remove.";

export const decouplingDeployment: SeedDocument = {
  title: "ADR 32 of Konflux: decoupling deployment",
  about: "Deployment is cut off from build, test and release; tags and pull requests take its place.",
  promises: [
    {
      says: "Users get one experience, in which every step from build over test and release to further environments happens by itself.",
      shownBy: [byTest(chain, pushed), byLine("tenon explain release/shop/web-1")],
      instead: "But for the merge of a pull request, which is a person's approval.",
    },
    {
      says: "Nobody has to adopt the whole system to use a part of it.",
      shownBy: [
        byTest(job, "P64: propagation runs alone, and leaves builds and Snapshots to others"),
        byTest(job, "P64: each kind that is absent is reported once by what needs it"),
        byLine("tenon run --only promote --promote propagation"),
      ],
    },
    {
      says: "Users control their deployment resources directly, and no API generates these for them.",
      shownBy: [
        byTest(propagation, "P46: a release becomes one pull request of one commit that changes digests alone"),
        byTest("src/promotion/propagation/random-trees.test.ts", "in 200 random trees an edit changes digests alone"),
      ],
    },
    {
      says: "Environment, SnapshotEnvironmentBinding and GitOpsDeploymentManagedEnvironment go away.",
      shownBy: [
        byTest(kinds, "P57: no kind of deployments is installed"),
        byTest(kinds, "P65: a kind of deployments that is installed already is left alone"),
      ],
    },
    {
      says: "No content of a GitOps repository is generated, and no such repository is created.",
      shownBy: [
        byTest(propagation, "P46: a release becomes one pull request of one commit that changes digests alone"),
      ],
      instead:
        "A Propagation edits digests in files that exist; the forges' clients have no call that creates a repository.",
    },
    { says: "The gitops-service and its database are no longer deployed.", shownBy: [], instead: konfluxOnly },
    {
      says: "The web interface no longer shows Environments and their state.",
      shownBy: [byLine("tenon get environments"), byLine("tenon get propagations")],
      instead: "There are none to show; what users lose by that is in the status of a Propagation, stage by stage.",
    },
    {
      says: "Renovate propagates released images as pull requests to a GitOps repository of the user's.",
      shownBy: [
        byTest(renovate, "P60: Renovate alone turns a moved tag into one pull request"),
        byTest(renovate, "P52: Renovate opens nothing for a digest that Tenon's pull request brought"),
      ],
      instead: "Renovate goes on working; a Propagation does the same within seconds of the release, and in stages.",
    },
    {
      says: "Dependabot does as well on GitHub.",
      shownBy: [],
      instead: "Not tested: it runs on GitHub only. It reads the same tags as Renovate.",
    },
    {
      says: "DeploymentTarget, DeploymentTargetClaim and DeploymentTargetClass go away in favour of dynamic resource allocation.",
      shownBy: [byTest(kinds, "P57: no kind of deployments is installed"), claimed],
    },
    {
      says: "The testing part makes no Environments and no claims for them.",
      shownBy: [
        byTest(kinds, "P65: v1beta1 is served, and its environment is dropped"),
        byTest(testRuns, "P20: a Snapshot gets a run of each scenario, with what the test needs to know"),
      ],
    },
    {
      says: "A user's test pipeline asks for compute by `resourceClaims`, gets a kubeconfig in its pod, and deploys the application there.",
      shownBy: [
        byTest(
          claims,
          "P54: has a namespace and a kubeconfig that works there and nowhere else, and leaves nothing behind",
        ),
        claimed,
      ],
    },
    {
      says: "Until then a first task makes a SpaceRequest, and a `finally` task deletes it after the test.",
      shownBy: [
        byTest(
          "test/e2e/tekton-environments.test.ts",
          "P67: a test gets an environment by the task that makes a %s, deploys the SNAPSHOT there, reports TEST_OUTPUT, and leaves nothing",
        ),
        byTest(
          "src/promotion/spaces/spaces.live.test.ts",
          "a SpaceRequest gets a namespace and a Secret with its kubeconfig, and leaves nothing behind",
        ),
      ],
    },
    {
      says: "Releases advertise by image tags that images are tested and ready for an environment.",
      shownBy: [
        byTest(
          "src/promotion/releases/stages-of-plans.live.test.ts",
          "P61: of two plans with two tags, each advertises to its own stage only",
        ),
        byTest("src/oci/registry/retag.live.test.ts", "P41: several tags lead to the index itself, byte for byte"),
      ],
    },
    {
      says: "Testing and releasing go on sharing the kind Snapshot.",
      shownBy: [byTest(autoRelease, "P29: a passed Snapshot is released once by a plan")],
    },
    {
      says: "Testing goes on using Application and Component, promotes images to the list of candidates, and composes Snapshots of it.",
      shownBy: [
        byTest(intake, "P1: a push build becomes the candidate and a Snapshot, in four writes"),
        byTest(intake, "P5: the Snapshot has the candidates of the other components, with their commits"),
      ],
    },
    {
      says: "A new namespace has no Environment, so that the end of a test deploys nothing.",
      shownBy: [byTest(autoRelease, "P63: a Snapshot that passed says that no plan asks for a release")],
    },
    {
      says: "The template of a new namespace has a ReleasePlan with the pipeline `push-to-registry`.",
      shownBy: [
        byTest(tenant, "the API server takes everything as it is: $name"),
        byTest(defaultPlans, "P62: gets one plan for each Application that appears"),
        byLine("tenon promote onboard"),
      ],
    },
    {
      says: "With the default plan, a Snapshot that passed makes a Release that tags the images with `released` or `validated`, where they were built.",
      shownBy: [
        byTest(releases, "P29: a passed Snapshot is released: every condition"),
        byTest(
          "src/cli/promote/promote-onboard.live.test.ts",
          "P61: gets a second plan with a tag of its own, for another stage",
        ),
      ],
    },
    {
      says: "`push-to-registry` runs as the service account `appstudio-pipeline`, which may push there already.",
      shownBy: [
        byTest(
          "src/cli/promote/promote-retag.live.test.ts",
          "P70: as the service account of its pod, it moves tags with the linked Secret",
        ),
        byTest("src/promotion/retag/retag-release.live.test.ts", "P43, P70: it cannot push where the account cannot"),
        byTest(tenant, "push-to-registry runs `tenon promote retag` with the Release as one argument"),
      ],
    },
    {
      says: "A commit reaches Pipelines-as-Code by webhook, which creates the PipelineRun of a build.",
      shownBy: [
        byTest(chain, pushed),
        byTest("test/e2e/tekton.test.ts", "a build that ran in Tekton becomes a Snapshot, whose pipeline passes"),
      ],
      instead:
        "Pipelines-as-Code is the user's; its builds are known by their labels, and any other CI declares its builds with `tenon promote build`.",
    },
    {
      says: "The build pushes the image, and its end triggers the tests.",
      shownBy: [
        byTest(chain, pushed),
        byTest(intake, "P1: a push build becomes the candidate and a Snapshot, in four writes"),
        byTest(
          "src/promotion/builds/declare-build.live.test.ts",
          "a build of another CI becomes a Snapshot and the candidate",
        ),
        byLine("tenon promote build"),
      ],
    },
    {
      says: "After the tests it is asked whether there is a ReleasePlan; if there is one, there is a Release.",
      shownBy: [
        byTest(chain, "a commit whose test fails in its environment is not released"),
        byTest(autoRelease, "P29: a passed Snapshot is released once by a plan, through ten reconciles"),
        byTest(autoRelease, "P63: a Snapshot that passed says that no plan asks for a release"),
      ],
    },
    {
      says: "The Release tags the image for release in the repository that the build pushed to.",
      shownBy: [
        byTest(chain, pushed),
        byTest("src/promotion/retag/retag-release.live.test.ts", "P43, P70: it pushes where the account may"),
      ],
    },
    {
      says: "The tag leads to a change of the GitOps repository, and that to a deployment by Argo CD or another tool of the user's.",
      shownBy: [
        byTest(chain, pushed),
        byTest(propagation, "P46: a release becomes one pull request of one commit that changes digests alone"),
        byTest(stages, "P69: a merged digest shows as running with the time"),
        byTest("src/cli/cluster/example-world.live.test.ts", "`tenon up` runs the example world"),
        byLine("tenon explain release/shop/web-1"),
      ],
    },
    {
      says: "Users refer to images by tag in their repository, and updates come by digest.",
      shownBy: [
        byTest("src/promotion/propagation/edit-file.test.ts", "and says line, digest before and how the line changes"),
      ],
    },
    {
      says: "Updates go to any kind of file, Helm values too; the user's options are not limited.",
      shownBy: [
        byTest(
          "src/promotion/propagation/edit-file.test.ts",
          "where a pattern of the user finds it, in a file that is not YAML",
        ),
        byTest(
          "src/promotion/propagation/survey-references.live.test.ts",
          "surveyReferences edits the files below its paths",
        ),
      ],
    },
    {
      says: "New environments are made by the user, with a GitOps repository and a tool of choice.",
      shownBy: [
        byTest(stages, "P61: each of two tags is proposed to its own stage only"),
        byLine("tenon promote plan"),
      ],
    },
    {
      says: "A user provides an IntegrationTestScenario, which refers to a pipeline.",
      shownBy: [byTest(testRuns, "P20: a Snapshot gets a run of each scenario, with what the test needs to know")],
    },
    {
      says: "After a build the test PipelineRun is created, and gets the Snapshot as a parameter.",
      shownBy: [
        byTest(
          "src/promotion/runners/tekton/test-pipeline-run.test.ts",
          "passes the Snapshot and the scenario's parameters, each with its type",
        ),
        byTest("test/e2e/tekton.test.ts", "a build that ran in Tekton becomes a Snapshot, whose pipeline passes"),
      ],
    },
    {
      says: "A resource driver makes the compute that the run claims, puts a kubeconfig into the pod, and cleans up after it.",
      shownBy: [
        claimed,
        byTest(claims, "P55: the grace after its run has ended, although nothing deletes the claim or the run"),
      ],
    },
    {
      says: "The compute is a cluster, a namespace, or another resource outside.",
      shownBy: [
        byTest(
          "src/promotion/environments/cluster-provider.live.test.ts",
          "P68: a class of another cluster gives environments there, and removes them",
        ),
        claimed,
      ],
      instead:
        "A namespace, of this cluster or of another one that a class names. Tenon makes no clusters; what would make them is one more provider.",
    },
    {
      says: "A resource driver supports SpaceBindings.",
      shownBy: [bindings, claimed],
      instead:
        "A SpaceBinding gives people roles in the space of a SpaceRequest, which is an environment as those of the driver are. One that the driver makes ends with its pod, and only that pod uses it ([0195](../decisions/0195-spaces-are-claims.md)).",
    },
    {
      says: "Users have more work to set up a deployment outside of the system.",
      shownBy: [byTest("src/cli/cluster/example-world.live.test.ts", "`tenon up` runs the example world")],
      instead:
        "They keep their files and their tool, and a Propagation changes digests there; where `manage` deploys, a data file is all there is to set up.",
    },
    {
      says: "Users lose the view of their deployments.",
      shownBy: [
        byTest(stages, "P69: a merged digest shows as running with the time, a red stage holds the next"),
        byTest("src/promotion/views/environments-of.test.ts", "a stage runs what its workloads have"),
        byLine("tenon get environments"),
      ],
      instead:
        "They keep it: a Propagation says for each stage what was proposed, merged and runs, by digest and with the time.",
    },
    {
      says: "Users provide and manage the resources that control their application, without an API in between.",
      shownBy: [
        byTest(
          "src/promotion/propagation/random-trees.live.test.ts",
          "a proposal for 200 random trees changes digests alone",
        ),
      ],
    },
    {
      says: "The testing part becomes usable without the rest of Konflux.",
      shownBy: [
        byTest(testRuns, "a test as a Job needs no Tekton: its termination message is TEST_OUTPUT"),
        byTest(
          job,
          "builds and tests stand aside while integration-service of Konflux runs, and take over when it stops",
        ),
        byLine("tenon run --only promote --promote builds --promote tests"),
      ],
    },
    {
      says: "An IntegrationTestScenario no longer refers to an environment.",
      shownBy: [
        byTest(kinds, "P65: v1beta1 is served, and its environment is dropped"),
        byTest("src/promotion/kinds/promotion-kinds.test.ts", "no version of a scenario has an environment"),
      ],
    },
    {
      says: "A ReleasePlanAdmission no longer refers to an environment, and no SnapshotEnvironmentBinding is managed.",
      shownBy: [byTest(releases, "P57: an admission's environment changes nothing")],
      instead: "The field is accepted, so that old objects apply, and changes nothing.",
    },
    {
      says: "Secrets for builds and for deployments are no longer told apart.",
      shownBy: [byTest("src/promotion/retag/retag-release.live.test.ts", "P43, P70: it pushes where the account may")],
      instead: "There are only Secrets of service accounts; nothing is deployed with any of them.",
    },
  ],
};
