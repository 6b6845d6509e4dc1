import { CompletedOption } from "./completed-option.ts";
import { tokenFileOption } from "./data-query.ts";
import type { ServeChoice } from "./data-serve-run.ts";
import { examples } from "./examples.ts";
import { integerOption } from "./integer-option.ts";
import type { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** `tenon data serve` */
export function declareServe(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Serve data files by GraphQL, with the routes of qontract-server. POST /reload reads them again; what cannot be loaded changes nothing. Runs until interrupted.",
    )
    .argument("[source]", "directory, bundle file or REPOSITORY#REF; default: what $INIT_BUNDLES or $LOAD_METHOD say")
    .addOption(integerOption("--port <number>", "port to listen on; 0 picks a free one", 0, 65_535).default(4_000))
    .option("--host <address>", "address to listen on; 0.0.0.0 is all of them", "127.0.0.1")
    .option("--watch", "reload by itself when files change", false)
    .option(
      "--bundle-ttl <duration>",
      "how long an older bundle can be asked after its last query; default: $BUNDLE_SHA_TTL or 20m",
    )
    .addOption(new CompletedOption("--schemas <source>", "where schemas are, if not beside the data", "files"))
    .addOption(tokenFileOption("that everybody must send"))
    .action(async (source: string | undefined, choice: ServeChoice) =>
      (await import("./data-serve-run.ts")).runServe(source, choice, shell),
    );
  examples(command, [
    ["tenon data serve examples/data --watch", "serve a directory while working on it"],
    ["tenon data serve bundle.json --port 4001 --bundle-ttl 1h", "serve a bundle file"],
    ["LOAD_METHOD=fs DATAFILES_FILE=bundle.json tenon data serve --host 0.0.0.0", "in place of qontract-server"],
  ]);
}
