import { clusterOptions } from "../cluster-options.ts";
import { CompletedOption } from "../completed-option.ts";
import { configOption } from "../control/config-option.ts";
import { examples } from "../examples.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { outputOption } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import { dataOptions, limitOptions, reachOptions, renderingOptions } from "./manage-options.ts";
import type { PlanChoice } from "./plan-run.ts";

/** All options of a command that looks at data and clusters. */
export function lookOptions(command: LazyCommand, shell: Shell): LazyCommand {
  configOption(command);
  dataOptions(command);
  renderingOptions(command);
  clusterOptions(command, shell);
  reachOptions(command);
  return command.option("-n, --namespace <name>", "remember managed namespaces in a ConfigMap of this namespace");
}

/** `tenon plan` */
export function declare(command: LazyCommand, shell: Shell): void {
  command.description(
    "Show what would change on the clusters for the integrations of the data to run as it says. Changes nothing. Exit code 0: nothing; 2: something; 1: something is wrong.",
  );
  outputOption(lookOptions(command, shell));
  limitOptions(command)
    .addOption(new CompletedOption("--out <file>", "write the plan there, for `tenon apply`", "files"))
    .addOption(
      new CompletedOption(
        "--compare <source>",
        "look only where the data wants something else than this data does",
        "files",
      ),
    )
    .option("--exit-zero", "exit code 0 also when something would change", false)
    .action(async (choice: PlanChoice) => (await import("./plan-run.ts")).runPlan(choice, shell));
  examples(command, [
    ["tenon plan --data examples/data --context staging", "all clusters of the data are one"],
    ["tenon plan --data . --compare .#main --exit-zero -o markdown", "what a change of the data does, for a comment"],
    ["tenon plan --environment stage --out plan.json", "settings from tenon.yaml; look now, apply later"],
    ["tenon plan --integration price-feed --cluster-context prod-eu=eu", "only one integration"],
  ]);
}
