import type { LazyCommand } from "../lazy-command.ts";
import {
  CompletedArgument,
  CompletedOption,
  examples,
  integerOption,
  outputOption,
  schemasOption,
  tokenFileOption,
} from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { BundleChoice } from "./bundle-data.ts";
import type { DiffChoice } from "./diff-data.ts";
import type { QueryChoice } from "./query-data.ts";
import type { ServeChoice } from "./run-data-server.ts";
import type { ValidateChoice } from "./validate-data.ts";

/** `tenon data` */
export function dataCommand(command: LazyCommand, shell: Shell): void {
  command.description("Work with data files: validate, query, bundle, serve and compare them.");
  examples(command, [
    ["tenon data validate examples/data", "report all errors in data files"],
    ["tenon data query examples/data '{integrations_v1{name}}'", "run a GraphQL query"],
    ["tenon data diff examples/data#main examples/data", "show your changes"],
  ]);
  declareValidate(command.command("validate"), shell);
  declareQuery(command.command("query"), shell);
  declareBundle(command.command("bundle"), shell);
  declareServe(command.command("serve"), shell);
  declareDiff(command.command("diff"), shell);
}

function declareValidate(command: LazyCommand, shell: Shell): void {
  outputOption(command)
    .description(
      "Check data files: syntax, schemas, references and uniqueness. Reports all errors in one run. Exits with 1 if there are errors; warnings do not change the exit code.",
    )
    .addArgument(
      new CompletedArgument("[source]", "directory, bundle file, or REPOSITORY#REF:DIRECTORY", "files").default("."),
    )
    .addOption(schemasOption())
    .option("--only-errors", "JSON and YAML: leave out valid files", false)
    .action(async (source: string, choice: ValidateChoice) =>
      (await import("./validate-data.ts")).validateData(source, choice, shell),
    );
  examples(command, [
    ["tenon data validate", "the data in this directory"],
    ["tenon data validate examples/data", "the data in another directory"],
    ["tenon data validate https://git.example.com/team/data.git#main", "a branch of a repository"],
    ["tenon data validate --schemas ../qontract-schemas", "with schemas from another directory"],
    ["tenon data validate bundle.json -o json --only-errors", "a bundle file, for programs"],
  ]);
}

function declareQuery(command: LazyCommand, shell: Shell): void {
  outputOption(command, ["json", "yaml", "table"])
    .description(
      "Run a GraphQL query on data files. A result with errors is not printed, because its missing parts would look deleted.",
    )
    .addArgument(
      new CompletedArgument("<source>", "directory, bundle file, REPOSITORY#REF, or URL of a running server", "files"),
    )
    .argument("[query]", "the query; without it and without --file, standard input")
    .addOption(new CompletedOption("-f, --file <file>", "file with the query", "files"))
    .option("--variables <json>", "variables of the query, as JSON")
    .addOption(schemasOption())
    .addOption(tokenFileOption("to send to a server"))
    .option("--types", "print TypeScript types for the query instead of its result", false)
    .action(async (source: string, query: string | undefined, choice: QueryChoice) =>
      (await import("./query-data.ts")).queryData(source, query, choice, shell),
    );
  examples(command, [
    ["tenon data query examples/data '{integrations_v1{name}}'", "the names of all integrations"],
    ["tenon data query examples/data -f query.graphql -o table", "a query from a file, as a table"],
    ['tenon data query bundle.json -f query.graphql --variables \'{"name":"a"}\'', "with variables"],
    ["tenon data query http://localhost:4000/graphql -f query.graphql", "query a running server"],
    ["tenon data query examples/data -f query.graphql --types", "a TypeScript module for this query"],
  ]);
}

function declareBundle(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Write data files, resources, schemas and GraphQL types to one JSON file, in the format of qontract-server. Does not validate.",
    )
    .addArgument(
      new CompletedArgument("[source]", "directory, bundle file, or REPOSITORY#REF:DIRECTORY", "files").default("."),
    )
    .addOption(schemasOption())
    .addOption(new CompletedOption("--file <file>", "write to this file instead of standard output", "files"))
    .action(async (source: string, choice: BundleChoice) =>
      (await import("./bundle-data.ts")).bundleData(source, choice, shell),
    );
  examples(command, [
    ["tenon data bundle examples/data --file bundle.json", "bundle a directory"],
    [
      "tenon data bundle https://git.example.com/team/data.git#v1.2 | gzip > bundle.json.gz",
      "bundle a tag, compressed",
    ],
  ]);
}

function declareServe(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Serve data files over GraphQL, with the routes of qontract-server. POST /reload reads them again; if that fails, the old data stays. Runs until interrupted.",
    )
    .addArgument(
      new CompletedArgument(
        "[source]",
        "directory, bundle file or REPOSITORY#REF; default: from $INIT_BUNDLES or $LOAD_METHOD",
        "files",
      ),
    )
    .addOption(integerOption("--port <number>", "port to listen on; 0 picks a free one", 0, 65_535).default(4_000))
    .option("--host <address>", "address to listen on; 0.0.0.0 for all", "127.0.0.1")
    .option("--watch", "reload when files change", false)
    .option(
      "--bundle-ttl <duration>",
      "how long to keep an older bundle after its last query; default: $BUNDLE_SHA_TTL or 20m",
    )
    .addOption(schemasOption())
    .addOption(tokenFileOption("that clients must send"))
    .action(async (source: string | undefined, choice: ServeChoice) =>
      (await import("./run-data-server.ts")).runDataServer(source, choice, shell),
    );
  examples(command, [
    ["tenon data serve examples/data --watch", "serve a directory while you edit it"],
    ["tenon data serve bundle.json --port 4001 --bundle-ttl 1h", "serve a bundle file"],
    ["LOAD_METHOD=fs DATAFILES_FILE=bundle.json tenon data serve --host 0.0.0.0", "in place of qontract-server"],
  ]);
}

function declareDiff(command: LazyCommand, shell: Shell): void {
  outputOption(command)
    .description("Show what changed between two versions of the data, field by field.")
    .addArgument(
      new CompletedArgument(
        "<old>",
        "directory, bundle file, or REPOSITORY#REF:DIRECTORY; with --repository, a git ref",
        "files",
      ),
    )
    .addArgument(new CompletedArgument("<new>", "the same", "files"))
    .addOption(
      new CompletedOption("--repository <repository>", "take the arguments as git refs of this repository", "files"),
    )
    .addOption(schemasOption())
    .action(async (old: string, current: string, choice: DiffChoice) =>
      (await import("./diff-data.ts")).diffData(old, current, choice, shell),
    );
  examples(command, [
    ["tenon data diff .#main .", "your changes since the branch main"],
    ["tenon data diff --repository . v1.0 v1.1", "between two tags"],
    ["tenon data diff old.json new.json -o json", "between two bundle files, in the format of qontract-server"],
  ]);
}
