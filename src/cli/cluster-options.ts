import type { Command } from "commander";
import { CompletedOption } from "./completed-option.ts";
import type { Shell } from "./shell.ts";

export interface ClusterChoice {
  readonly context?: string;
  readonly kubeconfig?: string;
}

/** Adds `--context` and `--kubeconfig`, by which the user names a cluster of their own. */
export function clusterOptions<Target extends Command>(command: Target, shell: Shell): Target {
  return command
    .addOption(
      new CompletedOption("--context <name>", "use the cluster of this context in your kubeconfig", async () => {
        const { listContexts } = await import("#kube");
        return listContexts({ env: shell.env });
      }),
    )
    .addOption(
      new CompletedOption(
        "--kubeconfig <path>",
        "read this kubeconfig (default: $KUBECONFIG, else ~/.kube/config)",
        "files",
      ),
    );
}
