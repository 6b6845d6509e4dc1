import { CompletedOption } from "./completed-option.ts";
import type { BundleChoice } from "./data-bundle-run.ts";
import { schemasOption } from "./data-validate.ts";
import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** `tenon data bundle` */
export function declareBundle(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Put data files, resources, schemas and GraphQL types into one JSON file, as qontract-server and this program read it. Does not validate.",
    )
    .argument("[source]", "directory, bundle file, or REPOSITORY#REF:DIRECTORY", ".")
    .addOption(schemasOption())
    .addOption(new CompletedOption("--file <file>", "write to this file instead of standard output", "files"))
    .action(async (source: string, choice: BundleChoice) =>
      (await import("./data-bundle-run.ts")).bundleData(source, choice, shell),
    );
  examples(command, [
    ["tenon data bundle examples/data --file bundle.json", "one file of a directory"],
    ["tenon data bundle https://git.example.com/team/data.git#v1.2 | gzip > bundle.json.gz", "of a tag, compressed"],
  ]);
}
