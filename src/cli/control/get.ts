import { examples } from "../examples.ts";
import type { LazyCommand } from "../lazy-command.ts";
import type { Shell } from "../shell.ts";
import { listedKinds } from "./kinds.ts";

/** `tenon get` */
export function declare(command: LazyCommand, shell: Shell): void {
  command.description("List what runs, what should run, and what is wrong with it.");
  examples(command, [
    ["tenon get integrations --data examples/data --context staging", "the integrations of the data"],
    ["tenon get plugs --all-namespaces", "the plugs of a cluster, and what they wait for"],
  ]);
  for (const [kind, declareKind] of Object.entries(listedKinds)) declareKind(command.command(kind), shell);
}
