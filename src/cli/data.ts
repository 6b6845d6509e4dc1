import { declareBundle } from "./data-bundle.ts";
import { declareDiff } from "./data-diff.ts";
import { declareQuery } from "./data-query.ts";
import { declareServe } from "./data-serve.ts";
import { declareValidate } from "./data-validate.ts";
import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** `tenon data` */
export function declare(command: LazyCommand, shell: Shell): void {
  command.description("Work with data files: validate, ask, bundle, serve and compare them.");
  examples(command, [
    ["tenon data validate examples/data", "find what is wrong with data files"],
    ["tenon data query examples/data '{integrations_v1{name}}'", "ask them"],
    ["tenon data diff examples/data#main examples/data", "see what you changed"],
  ]);
  declareValidate(command.command("validate"), shell);
  declareQuery(command.command("query"), shell);
  declareBundle(command.command("bundle"), shell);
  declareServe(command.command("serve"), shell);
  declareDiff(command.command("diff"), shell);
}
