import { LazyCommand } from "./lazy-command.ts";
import { examples } from "./shared-options.ts";

/** `tenon help` */
export function helpCommand(command: LazyCommand): void {
  command.description("Explain a command and show examples.");
  command.argument("[command...]", "the words of the command").action(async (words: string[]) => {
    let explained = command.parent;
    for (const word of words) {
      const found = explained instanceof LazyCommand ? await explained.find(word) : undefined;
      if (!found) explained?.error(`unknown command '${word}'`);
      explained = found ?? explained;
    }
    explained?.help();
  });
  examples(command, [["tenon help cluster start", "the same as `tenon cluster start --help`"]]);
}
