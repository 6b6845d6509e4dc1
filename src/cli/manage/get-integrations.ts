import { examples } from "../examples.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { outputOption } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import type { GetChoice } from "./get-integrations-run.ts";
import { lookOptions } from "./plan.ts";

/** `tenon get integrations` */
export function declareGetIntegrations(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "List integrations: how many pods should run and do, in how many shards, since when, and what is wrong.",
    )
    .argument("[names...]", "only these");
  outputOption(lookOptions(command, shell));
  command.action(async (names: readonly string[], choice: GetChoice) =>
    (await import("./get-integrations-run.ts")).printIntegrations(names, choice, shell),
  );
  examples(command, [
    ["tenon get integrations", "all; settings from tenon.yaml"],
    ["tenon get integrations price-feed --data examples/data --context staging", "one of them"],
    ["tenon get integrations -o json", "with every shard and its trouble"],
  ]);
}
