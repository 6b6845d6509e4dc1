import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** `tenon down` */
export function declare(command: LazyCommand, shell: Shell): void {
  command.description("Stop what `tenon up` started. Its data stays for the next time.");
  command.action(async () => (await import("./world.ts")).stopWorld(shell));
  examples(command, [["tenon down", "stop it; `tenon up` continues where it was"]]);
}
