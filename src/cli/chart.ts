import { declareRender } from "./chart-render.ts";
import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** `tenon chart` */
export function declare(command: LazyCommand, shell: Shell): void {
  command.description("Render Helm charts without Helm: the same output, in a fraction of the time.");
  examples(command, [["tenon chart render ./my-chart -f prod.yaml", "print what the chart makes of these values"]]);
  declareRender(command.command("render"), shell);
}
