import { Option } from "commander";
import { CompletedOption } from "../completed-option.ts";
import { examples } from "../examples.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { outputOption } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import type { CheckChoice } from "./check-apparatus-run.ts";

/** `tenon couple check-apparatus` */
export function declareCheck(command: LazyCommand, shell: Shell): void {
  outputOption(command)
    .description(
      "Check that an apparatus, in whatever language, does what Tenon expects: it is called as Tenon would, for a plug named tenon-check. What it does then is real, so it asks first. Exits with 1 when a check fails.",
    )
    .argument("<url>", "where it answers, with the prefix of the side, such as http://localhost:8080/socket")
    .addOption(
      new Option("--side <side>", "whose apparatus it is; default: what the URL ends with, or socket").choices([
        "plug",
        "socket",
      ]),
    )
    .addOption(
      new CompletedOption(
        "--config <file>",
        "values for the calls: YAML with plugConfig, socketConfig, plugData, socketData, vars",
        "files",
      ),
    )
    .addOption(
      new CompletedOption("--token-file <file>", "a token for an apparatus that verifies its callers", "files"),
    )
    .option("--timeout <duration>", "how long an answer may take", "60s")
    .option("-y, --yes", "do not ask", false)
    .action(async (url: string, choice: CheckChoice) =>
      (await import("./check-apparatus-run.ts")).runCheck(url, choice, shell),
    );
  examples(command, [
    ["tenon couple check-apparatus http://localhost:8080/socket", "say what will be called, and ask"],
    ["tenon couple check-apparatus http://localhost:8080/plug --config values.yaml --yes", "in a script"],
    ["tenon couple check-apparatus http://localhost:8080/socket --yes -o json", "for programs"],
  ]);
}
