import { Option } from "commander";
import type { LazyCommand } from "../lazy-command.ts";
import { clusterOptions, examples, repeated } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { PromoteOffboardChoice } from "./promote-offboard.ts";
import type { PromoteOnboardChoice } from "./promote-onboard.ts";
import type { RemoveFinalizersChoice } from "./remove-finalizers.ts";

/** `tenon promote onboard` */
export function declareOnboard(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Prepare the namespace of a team for builds, tests and releases: service accounts, an Application, a ReleasePlan that gives tested images the tag released, and with --gitops a Propagation. Shows what would change, asks, and applies it with your rights; you answer for the releases. Repeat it with the same options, and there is nothing to do. What others made stays as it is.",
    )
    .argument("<namespace>", "the team's namespace; it is created if it does not exist")
    .option("--application <name>", "the Application to release; without it, each one that appears later gets a plan")
    .option("--plan <name>", "name of the ReleasePlan; default: APPLICATION-released")
    .addOption(repeated(new Option("--tag <tag>", "tag of released images; repeatable; default: released")))
    .addOption(
      new Option("--pipeline <which>", "builtin moves tags in Tenon, tekton in a Pipeline of the namespace")
        .choices(["builtin", "tekton"])
        .default("builtin"),
    )
    .option("--environment-tasks", "Tekton tasks by which pipelines make and remove environments for tests", false)
    .option("--task-image <image>", "the image of Tenon that Pipelines and tasks of Tekton run; default: tenon:VERSION")
    .addOption(repeated(new Option("--plain-http <host>", "tekton: HOST:PORT of a registry without TLS; repeatable")))
    .option("--no-auto-release", "let a person ask for each release", true)
    .addOption(
      repeated(
        new Option(
          "--registry-secret <name>",
          "Secret of a registry that pipelines may read and push with; repeatable",
        ),
      ),
    )
    .option("--gitops <url>", "GitOps repository that gets pull requests for released images")
    .option("--branch <name>", "gitops: the base branch", "main")
    .addOption(repeated(new Option("--path <path>", "gitops: only files below it; repeatable")))
    .option("--stage <name>", "gitops: what the stage is called", "production")
    .addOption(
      new Option("--forge <kind>", "gitops: where it is; default: by its host").choices([
        "github",
        "gitlab",
        "gitea",
        "plain",
      ]),
    )
    .option("--forge-secret <name>", "gitops: Secret with the token of the forge")
    .addOption(
      repeated(
        new Option(
          "--image <repository>",
          "gitops: [COMPONENT=]REPOSITORY that is followed; repeatable; default: those of the components",
        ),
      ),
    )
    .option("--take-over", "also change what exists and was not made by onboarding", false)
    .option("--dry-run", "only show it", false)
    .option("-y, --yes", "do not ask", false)
    .action(async (namespace: string, choice: PromoteOnboardChoice) =>
      (await import("./promote-onboard.ts")).promoteOnboard(namespace, choice, shell),
    );
  examples(command, [
    ["tenon promote onboard shop --application shop", "show what would be made, and ask"],
    ["tenon promote onboard shop --application shop --registry-secret quay --yes", "with credentials for a registry"],
    [
      "tenon promote onboard shop --application shop --gitops https://github.com/acme/gitops --forge-secret github",
      "with pull requests for released images",
    ],
    ["tenon promote onboard shop", "a plan for each Application that appears later"],
  ]);
}

/** `tenon promote offboard` */
export function declareOffboard(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Undo `tenon promote onboard`: delete what it made in a namespace, after showing it and asking. Snapshots, Releases and Components stay, and so does the namespace.",
    )
    .argument("<namespace>", "the team's namespace")
    .option("--dry-run", "only show it", false)
    .option("-y, --yes", "do not ask", false)
    .action(async (namespace: string, choice: PromoteOffboardChoice) =>
      (await import("./promote-offboard.ts")).promoteOffboard(namespace, choice, shell),
    );
  examples(command, [
    ["tenon promote offboard shop", "show what would be deleted, and ask"],
    ["tenon promote offboard shop --dry-run", "only show it"],
  ]);
}

/** `tenon promote remove-finalizers` */
export function declareRemoveFinalizers(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Remove the finalizers by which builds, tests and releases keep Components, runs and Releases, so that these can be deleted where Tenon no longer runs. Lists them, and asks first. While Tenon runs, it adds them again. The finalizers are those of Konflux: leave them where its services run.",
    )
    .option("-n, --namespace <name>", "namespace; default: the context's")
    .option("-A, --all-namespaces", "all namespaces", false)
    .option("--dry-run", "only list them", false)
    .option("-y, --yes", "do not ask", false)
    .action(async (choice: RemoveFinalizersChoice) =>
      (await import("./remove-finalizers.ts")).removeFinalizers(choice, shell),
    );
  examples(command, [
    ["tenon promote remove-finalizers -n shop", "list what is kept in a namespace, and ask"],
    ["tenon promote remove-finalizers -A --dry-run", "only list what is kept anywhere"],
  ]);
}
