import { Option } from "commander";
import { clusterOptions } from "../cluster-options.ts";
import { examples } from "../examples.ts";
import type { LazyCommand } from "../lazy-command.ts";
import type { Shell } from "../shell.ts";
import type { GraphChoice } from "./graph-run.ts";

const formats = ["tree", "dot", "mermaid", "json", "yaml"] as const;
export type GraphFormat = (typeof formats)[number];

/** `tenon graph` */
export function declare(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description("Show which plugs are on which sockets, and what the others wait for.")
    .option("-n, --namespace <name>", "only what is in this namespace, and what that is connected to")
    .addOption(new Option("-o, --output <format>", "how to draw it").choices(formats).default(formats[0]))
    .action(async (choice: GraphChoice) => (await import("./graph-run.ts")).printGraph(choice, shell));
  examples(command, [
    ["tenon graph", "all of the cluster, as a tree"],
    ["tenon graph -n shop", "what the applications of one namespace depend on"],
    ["tenon graph -o dot | dot -Tsvg", "a picture, by Graphviz"],
    ["tenon graph -o mermaid", "for a page on GitHub or GitLab"],
  ]);
}
