import { Option } from "commander";
import { registryOptions } from "../image/image-commands.ts";
import type { LazyCommand } from "../lazy-command.ts";
import type { GetCoupledChoice } from "../couple/get-coupled.ts";
import { namespaceOptions } from "../couple/couple-commands.ts";
import {
  clusterOptions,
  CompletedOption,
  examples,
  integerOption,
  namesOption,
  outputOption,
  repeated,
} from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { declareEnv } from "./environment-commands.ts";
import { declareOffboard, declareOnboard, declareRemoveFinalizers } from "./onboarding-commands.ts";
import { declarePromoteRelease } from "./release-commands.ts";
import type { GetPropagationsChoice } from "./get-propagations.ts";
import type { PropagationPlanChoice } from "./print-propagation-plan.ts";
import type { PromoteBuildChoice } from "./promote-build.ts";
import type { PromoteRetagChoice } from "./promote-retag.ts";
import type { PromoteSnapshotChoice } from "./promote-snapshot.ts";
import type { RerunChoice } from "./rerun-tests.ts";
import type { RollbackStageChoice } from "./rollback-stage.ts";

/** `tenon promote` */
export function promoteCommand(command: LazyCommand, shell: Shell): void {
  command.description(
    "Onboard a team, say what was built, make Snapshots of images that you choose, test them again, get an environment for a while, show how a released image gets into GitOps repositories, and take one back. A Propagation says which image tags are followed, and which repositories and paths refer to them.",
  );
  examples(command, [
    ["tenon promote plan -f propagation.yaml", "the change that a pull request would hold"],
    ["tenon promote rollback shop/shop --stage production", "propose the digests that a stage had before"],
    ["tenon promote build -n shop --component web --image quay.io/acme/web@$DIGEST", "what a CI has built"],
    ["tenon promote snapshot shop/shop --image web=quay.io/acme/web@$DIGEST", "images that you choose"],
    ["tenon promote rerun shop/shop-20260102-030405-678 e2e", "test a Snapshot again"],
    ["tenon promote release shop/shop-20260102-030405-678 --plan shop-released", "release a Snapshot by hand"],
    ["tenon promote onboard shop --application shop", "prepare the namespace of a team"],
    ["tenon promote env create -n shop --class small", "an environment for an hour"],
  ]);
  declarePlan(command.command("plan"), shell);
  declareRollback(command.command("rollback"), shell);
  declareBuildCommand(command.command("build"), shell);
  declareSnapshotCommand(command.command("snapshot"), shell);
  declareRerun(command.command("rerun"), shell);
  declareReleaseRetag(command.command("retag"), shell);
  declarePromoteRelease(command.command("release"), shell);
  declareOnboard(command.command("onboard"), shell);
  declareOffboard(command.command("offboard"), shell);
  declareRemoveFinalizers(command.command("remove-finalizers"), shell);
  declareEnv(command.command("env"), shell);
}

function declareReleaseRetag(command: LazyCommand, shell: Shell): void {
  outputOption(registryOptions(clusterOptions(command, shell)))
    .description(
      "Give the images of a Release the tags that its plan asks for, and note them in its status.artifacts: what the pipeline builtin/retag does, for a pod of a Tekton pipeline. In a pod, with the credentials that are linked to its service account; for a person, with those of `docker login`. A tag that an image of a newer Snapshot has stays where it is. Run again, it writes nothing.",
    )
    .requiredOption("--release <release>", "NAMESPACE/NAME, or NAME in the namespace of the context")
    .option("-n, --namespace <name>", "namespace of a Release given without one; default: the context's")
    .option("--dry-run", "only show the old and the new digest of each tag", false)
    .action(async (choice: PromoteRetagChoice) => (await import("./promote-retag.ts")).promoteRetag(choice, shell));
  examples(command, [
    ["tenon promote retag --release shop/shop-20260102-030405-678-x7f2q --dry-run", "show what would move"],
    ["tenon promote retag --release shop/shop-20260102-030405-678-x7f2q", "as a task of a pipeline"],
  ]);
}

function declareBuildCommand(command: LazyCommand, shell: Shell): void {
  outputOption(clusterOptions(command, shell), ["table", "json", "yaml"])
    .description(
      "Say what a CI other than Tekton has built. Creates the Snapshot of the build, with your rights: the new image, and the candidates of the other components. The same component, image and commit give the same Snapshot, however often they are declared.",
    )
    .requiredOption("--component <name>", "the Component that was built")
    .requiredOption("--image <reference>", "what was built, by digest: REPOSITORY@sha256:...")
    .option("--commit <id>", "the commit that was built")
    .option("-n, --namespace <name>", "namespace of the Component; default: the context's")
    .action(async (choice: PromoteBuildChoice) => (await import("./promote-build.ts")).promoteBuild(choice, shell));
  examples(command, [
    [
      "tenon promote build -n shop --component web --image quay.io/acme/web@$DIGEST --commit $SHA",
      "at the end of a CI job",
    ],
  ]);
}

function declareSnapshotCommand(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Make an override Snapshot of an Application: the images that you give, and the candidates of its other components. Shows it, asks, and creates it with your rights. It is tested like any other, and its images become the candidates of their components at once.",
    )
    .argument("<application>", "NAMESPACE/NAME, or NAME in the namespace of the context")
    .addOption(
      repeated(
        new Option("--image <component=reference>", "an image by digest: COMPONENT=REPOSITORY@sha256:...; repeatable"),
      ),
    )
    .option("-n, --namespace <name>", "namespace of an Application given without one; default: the context's")
    .option("--dry-run", "only show it", false)
    .option("-y, --yes", "do not ask", false)
    .action(async (application: string, choice: PromoteSnapshotChoice) =>
      (await import("./promote-snapshot.ts")).promoteSnapshot(application, choice, shell),
    );
  examples(command, [
    ["tenon promote snapshot shop -n shop --image web=quay.io/acme/web@$DIGEST", "show it, and ask"],
    ["tenon promote snapshot shop/shop --image web=$WEB --image api=$API --yes", "two that only work together"],
    ["tenon promote snapshot shop/shop --dry-run", "the candidates as they are"],
  ]);
}

/** `tenon get applications` */
export function declareGetApplications(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)))
    .description(
      "List Applications: their components, the newest Snapshot that is not of a pull request, how its tests went, and problems. Those with a problem come first.",
    )
    .action(async (name: string | undefined, choice: GetCoupledChoice) =>
      (await import("./get-applications.ts")).getApplications(name, choice, shell),
    );
  examples(command, [
    ["tenon get applications -A", "of all namespaces"],
    ["tenon get applications shop/shop -o json", "one, for programs"],
  ]);
}

/** `tenon get components` */
export function declareGetComponents(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)))
    .description(
      "List Components: the image that is the candidate of each, when it was built, the last Snapshot of a build that is not of a pull request, and problems. Those with a problem come first.",
    )
    .action(async (name: string | undefined, choice: GetCoupledChoice) =>
      (await import("./get-components.ts")).getComponents(name, choice, shell),
    );
  examples(command, [
    ["tenon get components -n shop", "of a namespace"],
    ["tenon get components shop/web -o json", "one, for programs"],
  ]);
}

/** `tenon get snapshots` */
export function declareGetSnapshots(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)))
    .description(
      "List Snapshots: what was built, how its tests went, and what to do. What failed comes first, then the newest.",
    )
    .action(async (name: string | undefined, choice: GetCoupledChoice) =>
      (await import("./get-snapshots.ts")).getSnapshots(name, choice, shell),
    );
  examples(command, [
    ["tenon get snapshots -A", "of all namespaces"],
    ["tenon get snapshots -n shop -o json", "for programs"],
  ]);
}

function declareRollback(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Propose to a stage the digests that its branch had before, as a pull request. Shows what changes, and asks. The digests that are left are not proposed again until newer ones are released, or until you say so with --undo.",
    )
    .argument("<propagation>", "NAMESPACE/NAME, or NAME in the namespace of the context")
    .option("--stage <name>", "the stage; needed if there are several")
    .option("--undo", "propose what is released again", false)
    .option("-n, --namespace <name>", "namespace of a Propagation given without one; default: the context's")
    .option("-y, --yes", "do not ask", false)
    .action(async (propagation: string, choice: RollbackStageChoice) =>
      (await import("./rollback-stage.ts")).rollbackStage(propagation, choice, shell),
    );
  examples(command, [
    ["tenon promote rollback shop/shop --stage production", "show what goes back, and ask"],
    ["tenon promote rollback shop/shop --stage production --yes", "in a script"],
    ["tenon promote rollback shop/shop --stage production --undo", "go on with what is released"],
  ]);
}

function declareRerun(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Test a Snapshot again, by one scenario or by all that apply. A scenario that is named runs whatever its contexts are; what is running is left alone. `tenon get tests` shows the results.",
    )
    .argument("<snapshot>", "NAMESPACE/NAME, or NAME in the namespace of the context")
    .argument("[scenario]", "the IntegrationTestScenario; default: all that apply")
    .option("-n, --namespace <name>", "namespace of a Snapshot given without one; default: the context's")
    .action(async (snapshot: string, scenario: string | undefined, choice: RerunChoice) =>
      (await import("./rerun-tests.ts")).rerunTests(snapshot, scenario, choice, shell),
    );
  examples(command, [
    ["tenon promote rerun shop/shop-20260102-030405-678", "all tests"],
    ["tenon promote rerun -n shop shop-20260102-030405-678 e2e", "one of them"],
  ]);
}

/** `tenon get tests` */
export function declareGetTests(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)))
    .description("List the tests of Snapshots, newest Snapshot first: status, run, and why a test waits or failed.")
    .action(async (name: string | undefined, choice: GetCoupledChoice) =>
      (await import("./get-tests.ts")).getTests(name, choice, shell),
    );
  examples(command, [
    ["tenon get tests -A", "of all namespaces"],
    ["tenon get tests shop/shop-20260102-030405-678 -o json", "of one Snapshot, for programs"],
  ]);
}

/** `tenon get environments` */
export function declareGetEnvironments(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)))
    .description(
      "List which digest runs where: a row for each stage of a Propagation and each of its components, with the digest that is released, merged and runs. What runs comes from the status of the Propagation, and from workloads of this cluster.",
    )
    .action(async (name: string | undefined, choice: GetPropagationsChoice) =>
      (await import("./get-environments.ts")).getEnvironments(name, choice, shell),
    );
  examples(command, [
    ["tenon get environments -A", "of all namespaces"],
    ["tenon get environments -n shop -o json", "for programs"],
  ]);
}

/** `tenon get propagations` */
export function declareGetPropagations(command: LazyCommand, shell: Shell): void {
  outputOption(clusterOptions(command, shell))
    .description(
      "List propagations, stage by stage: what is proposed, merged and running, since when, and what is next.",
    )
    .argument("[name]", "only this one: NAMESPACE/NAME, or NAME in the namespace")
    .option("-n, --namespace <name>", "namespace; default: the context's")
    .option("-A, --all-namespaces", "all namespaces", false)
    .action(async (name: string | undefined, choice: GetPropagationsChoice) =>
      (await import("./get-propagations.ts")).getPropagations(name, choice, shell),
    );
  examples(command, [
    ["tenon get propagations -A", "of all namespaces"],
    ["tenon get propagations shop/shop -o json", "one, for programs"],
  ]);
}

/** Not from `#promotion`, which would load all of it for each help page; a test compares them. */
const partNames = ["builds", "tests", "releases", "propagation", "environments"];

/** `--promote` of `tenon run` and `tenon doctor --rbac` */
export function promotePartsOption(purpose: string): Option {
  return namesOption("--promote <parts>", `${purpose}: ${partNames.join(", ")}; default: propagation`, partNames);
}

/** Adds the options of `tenon run --only promote` that other jobs do not have. */
export function promoteJobOptions(command: LazyCommand): void {
  command
    .addOption(promotePartsOption("promote: run these parts, separated by commas"))
    .addOption(
      repeated(
        new Option("--plain-http <host>", "promote: HOST or HOST:PORT of a registry without TLS, besides this machine"),
      ),
    )
    .addOption(
      integerOption(
        "--webhook-port <number>",
        "promote: port for webhooks of forges and registries; default: none",
        0,
        65_535,
      ),
    )
    .addOption(
      new Option(
        "--require-chains <when>",
        "promote: whether builds wait until Tekton Chains is done with them; auto: where it is installed",
      )
        .choices(["auto", "always", "never"])
        .default("auto"),
    )
    .addOption(
      integerOption(
        "--builds-port <number>",
        "promote: port at which any CI may declare builds, with a token of Kubernetes; default: none",
        0,
        65_535,
      ),
    )
    .addOption(
      new CompletedOption(
        "--webhook-secret-file <file>",
        "promote: file with the secret that webhooks are verified by",
        "files",
      ),
    );
}

function declarePlan(command: LazyCommand, shell: Shell): void {
  outputOption(registryOptions(command), ["table", "json", "yaml"])
    .description(
      "Show, stage by stage, which lines a pull request would change: reads the digests that the tags have now, and the head of each base branch. Changes nothing, and needs no cluster. Exits with 2 if there are changes.",
    )
    .addOption(
      new CompletedOption("-f, --file <file>", "Propagations; - for standard input", "files").makeOptionMandatory(),
    )
    .option("--exit-zero", "exit with 0 if there are changes", false)
    .action(async (choice: PropagationPlanChoice) =>
      (await import("./print-propagation-plan.ts")).printPropagationPlan(choice, shell),
    );
  examples(command, [
    ["tenon promote plan -f propagation.yaml", "the lines that would change"],
    ["tenon promote plan -f propagation.yaml -o json", "for programs"],
  ]);
}
