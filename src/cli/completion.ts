import { Argument } from "commander";
import { type CompletedShell, completionScripts } from "./completion-scripts.ts";
import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** `tenon completion` */
export function declare(command: LazyCommand, shell: Shell): void {
  command
    .description("Print the script that completes commands, options and names with the Tab key.")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(completionScripts)))
    .action((name: CompletedShell) => void shell.stdout.write(completionScripts[name]));
  examples(command, [
    ["source <(tenon completion bash)", "in ~/.bashrc"],
    ["source <(tenon completion zsh)", "in ~/.zshrc, after compinit"],
    ["tenon completion fish | source", "in ~/.config/fish/config.fish"],
  ]);
}
