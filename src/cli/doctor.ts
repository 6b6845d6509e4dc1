import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import { type OutputFormat, outputOption } from "./output-option.ts";
import type { Shell } from "./shell.ts";

/** `tenon doctor` */
export function declare(command: LazyCommand, shell: Shell): void {
  command.description(
    "Check what this machine lacks and say how to get it. Changes nothing. Exits with 1 when a check fails.",
  );
  outputOption(command);
  command.action(async ({ output }: { output: OutputFormat }) => {
    const { examineMachine } = await import("./examine-machine.ts");
    await examineMachine(output, shell);
  });
  examples(command, [
    ["tenon doctor", "before the first start, or when something does not work"],
    ["tenon doctor -o markdown", "for a bug report"],
  ]);
}
