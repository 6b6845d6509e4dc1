import type { LazyCommand } from "../lazy-command.ts";
import { examples, outputOption } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { clusterPlanningOptions } from "./manage-commands.ts";
import type { ResumeChoice, SuspendChoice } from "./suspend-integrations.ts";

/** `tenon suspend` */
export function suspendCommand(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Keep integrations exactly as they are: nothing of them is created, changed or deleted, by any manager, until `tenon resume`. Writes an annotation on their workloads; the data stays as it is.",
    )
    .argument("<integrations...>", "names of integrations")
    .requiredOption("--reason <text>", "why; shown wherever the changes are missed");
  outputOption(targetOptions(command, shell)).action(async (names: readonly string[], choice: SuspendChoice) =>
    (await import("./suspend-integrations.ts")).suspendIntegrations(names, choice, shell),
  );
  examples(command, [
    ['tenon suspend price-feed --reason "debugging until Friday"', "everywhere; settings from tenon.yaml"],
    ['tenon suspend price-feed --cluster prod-eu --reason "incident 42"', "on one cluster"],
  ]);
}

/** `tenon resume` */
export function resumeCommand(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Undo `tenon suspend`: remove the annotation. The pending changes are made by the running manager, or by `tenon apply`.",
    )
    .argument("<integrations...>", "names of integrations");
  outputOption(targetOptions(command, shell)).action(async (names: readonly string[], choice: ResumeChoice) =>
    (await import("./suspend-integrations.ts")).resumeIntegrations(names, choice, shell),
  );
  examples(command, [
    ["tenon resume price-feed", "everywhere"],
    ["tenon plan --integration price-feed", "see first what is pending: it is listed as held back"],
  ]);
}

function targetOptions(command: LazyCommand, shell: Shell): LazyCommand {
  return clusterPlanningOptions(command, shell).option("-n, --namespace <name>", "only in this namespace");
}
