import type { LazyCommand } from "../lazy-command.ts";
import {
  clusterOptions,
  CompletedArgument,
  configOption,
  examples,
  outputOption,
  repeated,
} from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import {
  clusterPlanningOptions,
  completeIntegrations,
  integrationOption,
  limitOptions,
  planningOptions,
  stateOptions,
} from "./manage-commands.ts";
import type { HistoryChoice } from "./print-history.ts";
import type { RollbackChoice } from "./rollback-integrations.ts";
import type { ResumeChoice, SuspendChoice } from "./suspend-integrations.ts";

/** `tenon suspend` */
export function suspendCommand(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Keep integrations exactly as they are: nothing of them is created, changed or deleted, by any manager, until `tenon resume`. Writes an annotation on their workloads; the data stays as it is.",
    )
    .addArgument(new CompletedArgument("<integrations...>", "names of integrations", () => completeIntegrations(shell)))
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
    .addArgument(
      new CompletedArgument("<integrations...>", "names of integrations", () => completeIntegrations(shell)),
    );
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

/** `tenon history` */
export function historyCommand(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "List what was applied, newest first: when, by whom, from which commit, and which integrations changed. The last 100 changes are kept, without secrets.",
    )
    .argument("[entry]", "show each object of this entry");
  configOption(clusterOptions(command, shell));
  stateOptions(command).addOption(repeated(integrationOption("only changes of this one; repeatable", shell)));
  outputOption(command).action(async (entry: string | undefined, choice: HistoryChoice) =>
    (await import("./print-history.ts")).printHistory(entry, choice, shell),
  );
  examples(command, [
    ["tenon history", "all entries; settings from tenon.yaml"],
    ["tenon history 12", "each object of one entry, with the hashes before and after"],
    ["tenon history --integration price-feed -o json", "for programs"],
  ]);
}

/** `tenon rollback` */
export function rollbackCommand(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Show what would change to get back to the state after an entry of the history, ask, and apply it. Renders the commit of that entry again, for the integrations that changed since, and suspends them: the data still has the newer state.",
    )
    .argument("<entry>", "an entry of `tenon history`");
  outputOption(planningOptions(command, shell));
  limitOptions(command)
    .option("-y, --yes", "do not ask", false)
    .option("--dry-run", "print the API calls, without secrets, instead of making them", false)
    .option("--no-suspend", "do not suspend; a running manager then applies the newer state again", true)
    .action(async (entry: string, choice: RollbackChoice) =>
      (await import("./rollback-integrations.ts")).rollbackIntegrations(entry, choice, shell),
    );
  examples(command, [
    ["tenon rollback 12", "all integrations that changed after entry 12"],
    ["tenon rollback 12 --integration price-feed", "only one of them"],
    ["tenon rollback 12 --data old-bundle.json", "data that is not in git"],
  ]);
}
