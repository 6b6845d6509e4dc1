import { type ClusterChoice, clusterOptions } from "./cluster-options.ts";
import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** `tenon up` */
export function declare(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell).description(
    "Start the example world on a Kubernetes of its own, or on a cluster of yours, and say where to look next. Can be repeated.",
  );
  command.option("--node", "a real node, on which pods run, instead of fake ones; needs root and containerd");
  command.action(async (choice: ClusterChoice & { readonly node?: true }) => {
    const { startWorld, useContext } = await import("./world.ts");
    if (choice.context === undefined && choice.kubeconfig === undefined) await startWorld(choice, shell);
    else await useContext(choice, shell);
  });
  examples(command, [
    ["tenon up", "from nothing: Kubernetes with two fake nodes, and the integrations of a small company"],
    ["sudo tenon up --node", "the same with a node that runs containers"],
    ["tenon up --context staging", "use a cluster of yours; nothing is built or started"],
  ]);
}
