import manifest from "#manifest" with { type: "json" };
import { commands } from "./commands.ts";
import { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** The tree of commands; only their names and summaries are loaded yet. */
export function createProgram(shell: Shell): LazyCommand {
  const program = new LazyCommand("tenon")
    .description("One control plane for integrations on Kubernetes: manage, couple, promote.")
    .version(manifest.version, "-V, --version", "print the version")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void shell.stdout.write(text),
      writeErr: (text) => void shell.stderr.write(text),
      getOutHelpWidth: () => shell.stdout.columns || 100,
      getErrHelpWidth: () => shell.stderr.columns || 100,
    })
    .addHelpText("after", '\n"tenon help COMMAND" explains a command and shows examples.');
  for (const { name, summary, group, hidden = false, load } of commands) {
    program
      .command(name, { hidden })
      .description(summary)
      .helpGroup(group)
      .declareBy(async (command) => (await load())(command, shell));
  }
  return program;
}
