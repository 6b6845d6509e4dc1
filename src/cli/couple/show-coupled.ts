import { clusterOptions } from "../cluster-options.ts";
import { examples } from "../examples.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { outputOption } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import type { GetChoice } from "./get-coupled.ts";

/** `tenon get plugs` */
export function declareGetPlugs(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)))
    .description("List plugs: how far each is, since when, what it waits for and what to do about it.")
    .action(async (name: string | undefined, choice: GetChoice) =>
      (await import("./get-coupled.ts")).getPlugs(name, choice, shell),
    );
  examples(command, [
    ["tenon get plugs -A", "of all namespaces"],
    ["tenon get plugs shop/db -o json", "one, for programs"],
  ]);
}

/** `tenon get sockets` */
export function declareGetSockets(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)))
    .description("List sockets: how many plugs each has, how many it takes, and what is wrong with it.")
    .action(async (name: string | undefined, choice: GetChoice) =>
      (await import("./get-coupled.ts")).getSockets(name, choice, shell),
    );
  examples(command, [
    ["tenon get sockets -A", "of all namespaces"],
    ["tenon get sockets data/postgres", "one"],
  ]);
}

function namespaceOptions(command: LazyCommand): LazyCommand {
  return command
    .argument("[name]", "only this one: NAMESPACE/NAME, or NAME in the namespace")
    .option("-n, --namespace <name>", "those of this namespace; default: that of the context")
    .option("-A, --all-namespaces", "those of all namespaces", false);
}
