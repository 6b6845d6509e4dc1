import { CompletedOption } from "./completed-option.ts";
import type { QueryChoice } from "./data-query-run.ts";
import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import { outputOption } from "./output-option.ts";
import type { Shell } from "./shell.ts";

/** `tenon data query` */
export function declareQuery(command: LazyCommand, shell: Shell): void {
  outputOption(command, ["json", "yaml", "table"])
    .description(
      "Ask data files a GraphQL query. An answer with errors is not printed: what is missing from it would look deleted.",
    )
    .argument("<source>", "directory, bundle file, REPOSITORY#REF, or address of a running server")
    .argument("[query]", "the query; without it and --file, standard input")
    .addOption(new CompletedOption("-f, --file <file>", "file that holds the query", "files"))
    .option("--variables <json>", "variables of the query, as JSON")
    .addOption(new CompletedOption("--schemas <source>", "where schemas are, if not beside the data", "files"))
    .addOption(tokenFileOption("sent to a server"))
    .option("--types", "print TypeScript types of the query instead of its answer", false)
    .action(async (source: string, query: string | undefined, choice: QueryChoice) =>
      (await import("./data-query-run.ts")).runQuery(source, query, choice, shell),
    );
  examples(command, [
    ["tenon data query examples/data '{integrations_v1{name}}'", "the names of all integrations"],
    ["tenon data query examples/data -f query.graphql -o table", "a query from a file, as a table"],
    ['tenon data query bundle.json -f query.graphql --variables \'{"name":"a"}\'', "with variables"],
    ["tenon data query http://localhost:4000/graphql -f query.graphql", "ask a running server"],
    ["tenon data query examples/data -f query.graphql --types", "a TypeScript module for this query"],
  ]);
}

/** The environment has it in `TENON_DATA_TOKEN` otherwise: arguments are seen by everybody on the machine. */
export function tokenFileOption(purpose: string): CompletedOption {
  return new CompletedOption(
    "--token-file <file>",
    `file with the token ${purpose}; default: $TENON_DATA_TOKEN`,
    "files",
  );
}
