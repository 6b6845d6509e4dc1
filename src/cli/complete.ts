import { completeWords } from "./complete-words.ts";
import { examples } from "./examples.ts";
import { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** `tenon __complete`, for completion scripts: one candidate a line, its meaning after a tab. */
export function declare(command: LazyCommand, shell: Shell): void {
  command
    .description("Say what may follow these words; for the scripts of `tenon completion`.")
    .argument("[words...]", "the words after `tenon`, up to the one to complete")
    .action(async (words: string[]) => {
      if (!(command.parent instanceof LazyCommand)) return;
      for (const { word, meaning } of await completeWords(command.parent, words)) {
        shell.stdout.write(meaning === undefined ? `${word}\n` : `${word}\t${meaning}\n`);
      }
    });
  examples(command, [["tenon __complete -- cluster st", "start, stop, status"]]);
}
