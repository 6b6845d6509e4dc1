import { CompletedOption } from "../completed-option.ts";
import type { LazyCommand } from "../lazy-command.ts";

/** Adds `--config`. */
export function configOption(command: LazyCommand): LazyCommand {
  return command.addOption(
    new CompletedOption("--config <file>", "settings; default: ./tenon.yaml if there is one", "files"),
  );
}
