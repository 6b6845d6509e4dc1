import { registryOptions } from "../image/image-commands.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { CompletedOption, examples, outputOption } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { PropagationPlanChoice } from "./print-propagation-plan.ts";

/** `tenon promote` */
export function promoteCommand(command: LazyCommand, shell: Shell): void {
  command.description(
    "Show how a released image gets into GitOps repositories. A Propagation says which image tags are followed, and which repositories and paths refer to them.",
  );
  examples(command, [["tenon promote plan -f propagation.yaml", "the change that a pull request would hold"]]);
  declarePlan(command.command("plan"), shell);
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
