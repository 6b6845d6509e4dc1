import type { LazyCommand } from "../lazy-command.ts";
import { clusterOptions, CompletedOption, examples, integerOption } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { DriverChoice } from "./run-dra-driver.ts";

/** `tenon dra-driver` */
export function draDriverCommand(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Run the resource driver env.tenon.dev for the kubelet of this node: a pod with a resource claim gets an ephemeral environment, and its containers the kubeconfig. Runs on each node, as root, where the kubelet's folders are; charts/tenon does that with dra.enabled. Refuses a node whose container runtime has no CDI.",
    )
    .option("--node-name <name>", "the node; default: $NODE_NAME")
    .addOption(
      integerOption("--slots <count>", "environments that pods of this node may have at once", 1, 128).default(8),
    )
    .addOption(new CompletedOption("--kubelet-dir <path>", "the kubelet's folder", "files").default("/var/lib/kubelet"))
    .addOption(
      new CompletedOption("--cdi-dir <path>", "where the container runtime looks for CDI files", "files").default(
        "/var/run/cdi",
      ),
    )
    .action(async (choice: DriverChoice) => (await import("./run-dra-driver.ts")).runDraDriver(choice, shell));
  examples(command, [
    ["tenon dra-driver --node-name worker-1", "with the account of its pod"],
    ["tenon dra-driver --node-name worker-1 --slots 20", "up to 20 environments for the pods of this node"],
  ]);
}
