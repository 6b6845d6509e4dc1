import { CompletedOption } from "./completed-option.ts";
import type { ValidateChoice } from "./data-validate-run.ts";
import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import { outputOption } from "./output-option.ts";
import type { Shell } from "./shell.ts";

/** `tenon data validate` */
export function declareValidate(command: LazyCommand, shell: Shell): void {
  outputOption(command)
    .description(
      "Check data files: their syntax, their schemas, their references, and what must be unique. Finds everything in one run. Exits with 1 when something is wrong; warnings are printed and do not count.",
    )
    .argument("[source]", "directory, bundle file, or REPOSITORY#REF:DIRECTORY", ".")
    .addOption(schemasOption())
    .option("--only-errors", "leave out of JSON and YAML what is right", false)
    .action(async (source: string, choice: ValidateChoice) =>
      (await import("./data-validate-run.ts")).validateData(source, choice, shell),
    );
  examples(command, [
    ["tenon data validate", "the data in this directory"],
    ["tenon data validate examples/data", "the data in another one"],
    ["tenon data validate https://git.example.com/team/data.git#main", "a branch of a repository"],
    ["tenon data validate --schemas ../qontract-schemas", "with schemas from elsewhere"],
    ["tenon data validate bundle.json -o json --only-errors", "a bundle file, for programs"],
  ]);
}

/** For repositories of data that keep their schemas in another repository. */
export function schemasOption(): CompletedOption {
  return new CompletedOption("--schemas <source>", "where schemas are, if not beside the data", "files");
}
