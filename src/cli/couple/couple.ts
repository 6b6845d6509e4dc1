import { clusterOptions } from "../cluster-options.ts";
import { CompletedOption } from "../completed-option.ts";
import { examples } from "../examples.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { outputOption } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import { declareCheck } from "./check-apparatus.ts";
import type { PlanChoice } from "./couple-plan-run.ts";
import type { ReleaseChoice } from "./couple-release-run.ts";
import type { RetryChoice } from "./couple-retry-run.ts";

/** `tenon couple` */
export function declare(command: LazyCommand, shell: Shell): void {
  command.description(
    "See beforehand what plugs and sockets would do, try a plug again, give up on one that cannot be deleted, or check an apparatus. `tenon run --only couple` couples them, `tenon get plugs` says how far they are.",
  );
  examples(command, [
    ["tenon couple plan -f plug.yaml", "what would happen if this were applied"],
    ["tenon couple retry shop/db", "try a plug again now"],
    ["tenon couple release plug/shop/db", "give up on a plug that is stuck in its deletion"],
    ["tenon couple check-apparatus http://localhost:8080/socket", "does my apparatus do what Tenon expects?"],
  ]);
  declarePlan(command.command("plan"), shell);
  declareRetry(command.command("retry"), shell);
  declareRelease(command.command("release"), shell);
  declareCheck(command.command("check-apparatus"), shell);
}

function declarePlan(command: LazyCommand, shell: Shell): void {
  outputOption(clusterOptions(command, shell))
    .description(
      "Say what would happen if these plugs and sockets were applied: who admits whom, which value comes from where, which objects would be made and removed. Does nothing, reads as the service accounts of both sides, and prints no secret.",
    )
    .addOption(
      new CompletedOption("-f, --file <file>", "manifests; - is standard input", "files").makeOptionMandatory(),
    )
    .option("-n, --namespace <name>", "the namespace of objects that name none; default: that of the context")
    .option("--allow-cluster-scoped", "as the operator was told: objects without a namespace may be made", false)
    .action(async (choice: PlanChoice) => (await import("./couple-plan-run.ts")).runPlan(choice, shell));
  examples(command, [
    ["tenon couple plan -f plug.yaml", "together with what is in the cluster"],
    ["tenon couple plan -f examples/coupling/postgres.yaml", "plugs and sockets from one file"],
    ["tenon couple plan -f plug.yaml -o json", "for programs"],
  ]);
}

function declareRetry(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description("Let the operator try plugs again now, instead of when their rest after a failure is over.")
    .argument("<plug...>", "NAMESPACE/NAME, or NAME in the namespace of the context")
    .option("-n, --namespace <name>", "the namespace of plugs that name none; default: that of the context")
    .action(async (names: string[], choice: RetryChoice) =>
      (await import("./couple-retry-run.ts")).retryPlugs(names, choice, shell),
    );
  examples(command, [
    ["tenon couple retry shop/db", "one plug"],
    ["tenon couple retry -n shop db mail", "two plugs of one namespace"],
  ]);
}

function declareRelease(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Give up on a plug or socket that is being deleted and does not go: its finalizer is removed, and what it made may stay behind. Says what that is, and asks first.",
    )
    .argument("<object>", "plug/NAMESPACE/NAME or socket/NAMESPACE/NAME")
    .option("-n, --namespace <name>", "the namespace, if the name has none; default: that of the context")
    .option("-y, --yes", "do not ask", false)
    .action(async (name: string, choice: ReleaseChoice) =>
      (await import("./couple-release-run.ts")).releaseObject(name, choice, shell),
    );
  examples(command, [
    ["tenon couple release plug/shop/db", "say what stays behind, and ask"],
    ["tenon couple release socket/data/postgres --yes", "a socket, in a script"],
  ]);
}
