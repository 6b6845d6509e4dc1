import { CompletedOption } from "./completed-option.ts";
import type { DiffChoice } from "./data-diff-run.ts";
import { schemasOption } from "./data-validate.ts";
import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import { outputOption } from "./output-option.ts";
import type { Shell } from "./shell.ts";

/** `tenon data diff` */
export function declareDiff(command: LazyCommand, shell: Shell): void {
  outputOption(command)
    .description("Say what changed from one state of the data to another, field by field.")
    .argument("<old>", "directory, bundle file, or REPOSITORY#REF:DIRECTORY; with --repository, a git ref")
    .argument("<new>", "the same")
    .addOption(
      new CompletedOption("--repository <repository>", "the arguments are branches, tags or commits of this", "files"),
    )
    .addOption(schemasOption())
    .action(async (old: string, current: string, choice: DiffChoice) =>
      (await import("./data-diff-run.ts")).diffData(old, current, choice, shell),
    );
  examples(command, [
    ["tenon data diff .#main .", "what you changed since the branch main"],
    ["tenon data diff --repository . v1.0 v1.1", "between two tags"],
    ["tenon data diff old.json new.json -o json", "between two bundle files, as qontract-server says it"],
  ]);
}
