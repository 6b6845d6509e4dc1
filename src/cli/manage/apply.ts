import { examples } from "../examples.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { outputOption } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import type { ApplyChoice } from "./apply-run.ts";
import { limitOptions } from "./manage-options.ts";
import { lookOptions } from "./plan.ts";

/** `tenon apply` */
export function declare(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Show what would change on the clusters, ask, and change it. With a file, exactly that plan; objects that others changed since are left alone.",
    )
    .argument("[file]", "a plan that `tenon plan --out` wrote");
  outputOption(lookOptions(command, shell));
  limitOptions(command)
    .option("--yes", "do not ask", false)
    .option("--dry-run", "print the calls that would be made, without secrets, and make none", false)
    .action(async (file: string | undefined, choice: ApplyChoice) =>
      (await import("./apply-run.ts")).runApply(file, choice, shell),
    );
  examples(command, [
    ["tenon apply --data examples/data --context staging", "all clusters of the data are one"],
    ["tenon apply plan.json --yes", "what was looked at and approved; settings from tenon.yaml"],
    ["tenon apply --dry-run", "every API call, and none of them made"],
    ["tenon apply --take-over-from my-old-deployer", "adopt what somebody else deployed"],
  ]);
}
