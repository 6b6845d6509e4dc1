import type { LazyCommand } from "../lazy-command.ts";
import {
  type ClusterChoice,
  contextOptions,
  CompletedArgument,
  CompletedOption,
  examples,
  integerOption,
  type OutputFormat,
  outputOption,
} from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { InstanceChoice } from "./instances.ts";

interface StartChoice extends InstanceChoice {
  readonly port?: number;
  readonly registryPort?: number;
  readonly fakeNodes?: number;
  readonly node?: boolean;
  readonly tekton?: boolean;
  readonly cdi?: true;
}

const loadInstances = () => import("./instances.ts");

/** `tenon up` */
export function upCommand(command: LazyCommand, shell: Shell): void {
  contextOptions(command, shell).description(
    "Start a local Kubernetes cluster with example integrations, and print what to try next. With --context or --kubeconfig, bring the example to a cluster of yours instead, after showing the plan and asking. Can be run again.",
  );
  command.option("--node", "a real node that runs containers, instead of fake nodes; needs root and containerd");
  command.option("-y, --yes", "with --context or --kubeconfig: do not ask", false);
  command.action(async (choice: ClusterChoice & { readonly node?: true; readonly yes: boolean }) => {
    const { bringWorld, startWorld } = await import("./example-world.ts");
    if (choice.context === undefined && choice.kubeconfig === undefined) await startWorld(choice, shell);
    else await bringWorld(choice, shell);
  });
  examples(command, [
    ["tenon up", "Kubernetes with two fake nodes, and the integrations of a small company"],
    ["sudo tenon up --node", "the same with a node that runs containers"],
    ["tenon up --context staging", "the example on a cluster of yours, after asking; builds and starts nothing"],
  ]);
}

/** `tenon down` */
export function downCommand(command: LazyCommand, shell: Shell): void {
  command.description("Stop what `tenon up` started, and keep its data.");
  command.action(async () => (await import("./example-world.ts")).stopWorld(shell));
  examples(command, [["tenon down", "stop it; `tenon up` starts it again with its data"]]);
}

/** `tenon cluster` */
export function clusterCommand(command: LazyCommand, shell: Shell): void {
  command.description(
    "Run real Kubernetes on this machine: etcd, API server, controllers and scheduler in one binary, on loopback, without root or containers; with root and --node also a node that runs containers.",
  );
  examples(command, [
    ["tenon cluster start", "start it; the first start builds it"],
    ["export KUBECONFIG=$(tenon cluster kubeconfig)", "use it with kubectl and other tools"],
    ["tenon cluster stop", "stop it and keep its data"],
  ]);
  declareStart(command.command("start"), shell);
  declareStop(command.command("stop"), shell);
  declareStatus(command.command("status"), shell);
  declareLoad(command.command("load"), shell);
  declareKubeconfig(command.command("kubeconfig"), shell);
  declareReset(command.command("reset"), shell);
}

function declareStart(command: LazyCommand, shell: Shell): void {
  nameOption(command, shell)
    .description("Start an instance in the background and wait until it is ready.")
    .addOption(
      integerOption("--port <number>", "port of the API server; 0 picks a free one; default: as before", 0, 65_535),
    )
    .addOption(
      integerOption("--fake-nodes <count>", "nodes on which pods pretend to run; default: as before", 0, 5_000),
    )
    .option("--node", "a real node that runs containers; needs root and containerd; default: as before")
    .option("--no-node", "remove the real node")
    .addOption(
      integerOption(
        "--registry-port <number>",
        "port of the registry of a real node; 0 picks a free one; default: as before",
        0,
        65_535,
      ),
    )
    .option("--cdi", "a containerd that applies CDI on the real node, built when first asked for; default: as before")
    .option("--tekton", "Tekton Pipelines on the real node; default: as before")
    .option("--no-tekton", "delete Tekton with all pipelines and runs")
    .action(async (choice: StartChoice) => (await loadInstances()).startInstance(choice, shell));
  examples(command, [
    ["tenon cluster start", "start the instance named default, if it is not running"],
    ["tenon cluster start --name test --fake-nodes 3", "a second instance, with three nodes"],
    ["tenon cluster start --port 16443", "with its API server on this port"],
    ["sudo tenon cluster start --node", "with a node that runs containers"],
    ["sudo tenon cluster start --registry-port 0", "another program has the port of the node's registry"],
    ["sudo tenon cluster start --node --tekton", "the same with Tekton Pipelines"],
    ["sudo tenon cluster start --node --cdi", "pods get environments by resource claims, see `tenon dra-driver`"],
  ]);
}

function declareStop(command: LazyCommand, shell: Shell): void {
  nameOption(command, shell)
    .description("Stop an instance and keep its data.")
    .action(async (choice: InstanceChoice) => (await loadInstances()).stopInstance(choice, shell));
  examples(command, [["tenon cluster stop --name test", "stop the instance named test"]]);
}

function declareStatus(command: LazyCommand, shell: Shell): void {
  outputOption(command)
    .description("List all instances.")
    .action(async ({ output }: { output: OutputFormat }) => (await loadInstances()).printInstances(output, shell));
  examples(command, [
    ["tenon cluster status", "all instances and their state"],
    ["tenon cluster status -o json", "the same for programs"],
  ]);
}

function declareLoad(command: LazyCommand, shell: Shell): void {
  nameOption(command, shell)
    .description("Load images onto the real node of an instance, from archives of `docker save` or OCI archives.")
    .addArgument(new CompletedArgument("<files...>", "image archives: tar, or tar compressed with gzip", "files"))
    .action(async (files: string[], choice: InstanceChoice) =>
      (await loadInstances()).loadIntoInstance(files, choice, shell),
    );
  examples(command, [
    ["tenon cluster load hello.tar.gz", "pods find its images by name and pull nothing"],
    ["tenon cluster load --name test a.tar b.tar", "two archives, into the instance named test"],
  ]);
}

function declareKubeconfig(command: LazyCommand, shell: Shell): void {
  nameOption(command, shell)
    .description("Print the path of the kubeconfig of an instance.")
    .action(async (choice: InstanceChoice) => (await loadInstances()).printKubeconfig(choice, shell));
  examples(command, [
    ["export KUBECONFIG=$(tenon cluster kubeconfig)", "use the instance with kubectl and other tools"],
  ]);
}

function declareReset(command: LazyCommand, shell: Shell): void {
  nameOption(command, shell)
    .description("Stop an instance and delete its data. Asks first.")
    .option("-y, --yes", "do not ask", false)
    .action(async (choice: InstanceChoice & { yes: boolean }) => (await loadInstances()).resetInstance(choice, shell));
  examples(command, [
    ["tenon cluster reset", "show what would be deleted, and ask"],
    ["tenon cluster reset --name test --yes", "delete the instance named test, in a script"],
  ]);
}

function nameOption(command: LazyCommand, shell: Shell): LazyCommand {
  const option = new CompletedOption("--name <name>", "name of the instance", async () =>
    (await loadInstances()).instanceNames(shell),
  );
  return command.addOption(option.default("default"));
}
