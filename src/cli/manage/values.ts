import { configOption } from "../control/config-option.ts";
import { examples } from "../examples.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { outputOption } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import { dataOptions } from "./manage-options.ts";
import type { ValuesChoice } from "./values-run.ts";

/** `tenon values` */
export function declare(command: LazyCommand, shell: Shell): void {
  command.description(
    "Print the values that the chart gets for the integrations of a namespace: a document for each, or one file for `helm template`.",
  );
  outputOption(dataOptions(configOption(command)), ["yaml", "json"])
    .option("-n, --namespace <name>", "only this namespace; its values alone are printed, as a values file")
    .action(async (choice: ValuesChoice) => (await import("./values-run.ts")).printValues(choice, shell));
  examples(command, [
    ["tenon values --data examples/data", "of all namespaces"],
    [
      "tenon values --data examples/data -n platform-stage | tenon chart render charts/integrations -f -",
      "see what is rendered",
    ],
    ["tenon values --data examples/data --integration price-feed -o json", "of one integration"],
  ]);
}
