import { Option } from "commander";
import { namespaceOptions } from "../couple/couple-commands.ts";
import type { GetCoupledChoice } from "../couple/get-coupled.ts";
import type { LazyCommand } from "../lazy-command.ts";
import {
  clusterOptions,
  CompletedArgument,
  CompletedOption,
  examples,
  outputOption,
  type TypedOptions,
} from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { CreateEnvironmentChoice } from "./create-environment.ts";
import type { DeleteEnvironmentChoice } from "./delete-environment.ts";

/** By what an environment is asked for. */
const requestKinds = ["EphemeralClaim", "SpaceRequest"] as const;
export type RequestKind = (typeof requestKinds)[number];

/** For completion. */
export async function listClaims(typed: TypedOptions, shell: Shell): Promise<readonly string[]> {
  return (await import("./released-names.ts")).releasedNames("claim", typed, shell);
}

/** `tenon get claims` */
export function declareGetClaims(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)), (typed) => listClaims(typed, shell))
    .description(
      "List claims of ephemeral environments: how far each is, its place in the queue, and when it ends. What failed comes first, then the newest.",
    )
    .action(async (name: string | undefined, choice: GetCoupledChoice) =>
      (await import("./get-claims.ts")).getClaims(name, choice, shell),
    );
  examples(command, [
    ["tenon get claims -A", "of all namespaces"],
    ["tenon get claims shop/e2e -o json", "one, for programs"],
  ]);
}

/** `tenon promote env` */
export function declareEnv(command: LazyCommand, shell: Shell): void {
  command.description("Get an ephemeral environment for yourself, and give it back. It ends by itself too.");
  examples(command, [
    ["tenon promote env create -n shop --class small --to env.kubeconfig", "a namespace of your own"],
    ["tenon promote env delete shop/env-x7f2q", "give it back"],
  ]);
  declareCreate(command.command("create"), shell);
  declareDelete(command.command("delete"), shell);
}

function declareCreate(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Claim an environment with your rights, and wait until it can be used: a namespace with a kubeconfig of its own, which ends after a time. Says its place while it waits in the queue.",
    )
    .argument("[name]", "NAMESPACE/NAME, or NAME in the namespace; default: a new name")
    .requiredOption("--class <name>", "the EphemeralClass")
    .addOption(kindOption())
    .option("--ttl <duration>", "how long it lives, such as 2h; no longer than the class allows")
    .option("-n, --namespace <name>", "namespace of the claim; default: the context's")
    .addOption(new CompletedOption("--to <file>", "write the kubeconfig to this file", "files"))
    .option("--owner <run>", "KIND/NAME/UID of the PipelineRun, TaskRun or Job that it is for, and ends with")
    .addOption(
      new CompletedOption("--secret-ref <file>", "write the name of the kubeconfig's Secret to this file", "files"),
    )
    .action(async (name: string | undefined, choice: CreateEnvironmentChoice) =>
      (await import("./create-environment.ts")).createEnvironment(name, choice, shell),
    );
  examples(command, [
    ["tenon promote env create -n shop --class small --to env.kubeconfig", "then: kubectl --kubeconfig env.kubeconfig"],
    ["tenon promote env create shop/mine --class small --ttl 2h", "with a name and a time"],
    ["tenon promote env create shop/mine --kind SpaceRequest --class small", "by a SpaceRequest"],
  ]);
}

function kindOption(): Option {
  return new Option("--kind <kind>", "by what it is asked for; the class is the tier of a SpaceRequest")
    .choices([...requestKinds])
    .default("EphemeralClaim");
}

function declareDelete(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description("Delete the claim of an environment, and wait until the environment is gone.")
    .addArgument(
      new CompletedArgument("<name>", "NAMESPACE/NAME, or NAME in the namespace of the context", (typed) =>
        listClaims(typed, shell),
      ),
    )
    .addOption(kindOption())
    .option("--if-exists", "do nothing if there is no such claim", false)
    .option("-n, --namespace <name>", "namespace of a claim given without one; default: the context's")
    .action(async (name: string, choice: DeleteEnvironmentChoice) =>
      (await import("./delete-environment.ts")).deleteEnvironment(name, choice, shell),
    );
  examples(command, [["tenon promote env delete shop/mine", "give it back"]]);
}
