import { CompletedOption } from "./completed-option.ts";
import { examples } from "./examples.ts";
import { integerOption } from "./integer-option.ts";
import type { LazyCommand } from "./lazy-command.ts";
import { type OutputFormat, outputOption } from "./output-option.ts";
import type { Shell } from "./shell.ts";

interface InstanceChoice {
  readonly name: string;
}

interface StartChoice extends InstanceChoice {
  readonly port?: number;
  readonly fakeNodes?: number;
  readonly node?: boolean;
}

const loadInstances = () => import("./instances.ts");

/** `tenon cluster` */
export function declare(command: LazyCommand, shell: Shell): void {
  command.description(
    "Run real Kubernetes on this machine: etcd, API server, controllers and scheduler in one binary, on loopback, without root or containers; with root and --node also a node on which pods really run.",
  );
  examples(command, [
    ["tenon cluster start", "start it; the first time it is built"],
    ["export KUBECONFIG=$(tenon cluster kubeconfig)", "let kubectl and others use it"],
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
    .option("--node", "a real node, on which pods run; needs root and containerd; default: as before")
    .option("--no-node", "no real node any more")
    .action(async (choice: StartChoice) => (await loadInstances()).startInstance(choice, shell));
  examples(command, [
    ["tenon cluster start", "start the instance named default, or find that it runs"],
    ["tenon cluster start --name test --fake-nodes 3", "a second one beside it, with three nodes"],
    ["tenon cluster start --port 16443", "with its API server on this port"],
    ["sudo tenon cluster start --node", "with a node that runs containers"],
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
    ["tenon cluster status", "what there is, and what runs"],
    ["tenon cluster status -o json", "the same for programs"],
  ]);
}

function declareLoad(command: LazyCommand, shell: Shell): void {
  nameOption(command, shell)
    .description("Put images on the real node of an instance, from archives as `docker save` writes them, or OCI ones.")
    .argument("<files...>", "image archives: tar, or tar compressed by gzip")
    .action(async (files: string[], choice: InstanceChoice) =>
      (await loadInstances()).loadIntoInstance(files, choice, shell),
    );
  examples(command, [
    ["tenon cluster load hello.tar.gz", "pods find its images by their names, and pull nothing"],
    ["tenon cluster load --name test a.tar b.tar", "two archives, into the instance named test"],
  ]);
}

function declareKubeconfig(command: LazyCommand, shell: Shell): void {
  nameOption(command, shell)
    .description("Print the path of the kubeconfig of an instance.")
    .action(async (choice: InstanceChoice) => (await loadInstances()).printKubeconfig(choice, shell));
  examples(command, [["export KUBECONFIG=$(tenon cluster kubeconfig)", "let kubectl and others use the instance"]]);
}

function declareReset(command: LazyCommand, shell: Shell): void {
  nameOption(command, shell)
    .description("Stop an instance and delete its data. Asks first.")
    .option("-y, --yes", "do not ask", false)
    .action(async (choice: InstanceChoice & { yes: boolean }) => (await loadInstances()).resetInstance(choice, shell));
  examples(command, [
    ["tenon cluster reset", "say what would be deleted, and ask"],
    ["tenon cluster reset --name test --yes", "delete the instance named test, in a script"],
  ]);
}

function nameOption(command: LazyCommand, shell: Shell): LazyCommand {
  const option = new CompletedOption("--name <name>", "name of the instance", async () =>
    (await loadInstances()).instanceNames(shell),
  );
  return command.addOption(option.default("default"));
}
