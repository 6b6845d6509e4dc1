import { Argument } from "commander";
import { completeWords } from "./complete-words.ts";
import { LazyCommand } from "./lazy-command.ts";
import { examples } from "./shared-options.ts";
import type { Shell } from "./shell.ts";

/** `tenon completion` */
export function completionCommand(command: LazyCommand, shell: Shell): void {
  command
    .description("Print a shell script that completes commands, options and names with the Tab key.")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(completionScripts)))
    .action((name: keyof typeof completionScripts) => void shell.stdout.write(completionScripts[name]));
  examples(command, [
    ["source <(tenon completion bash)", "in ~/.bashrc"],
    ["source <(tenon completion zsh)", "in ~/.zshrc, after compinit"],
    ["tenon completion fish | source", "in ~/.config/fish/config.fish"],
  ]);
}

/** `tenon __complete`, for completion scripts: one candidate per line, its description after a tab. */
export function completeCommand(command: LazyCommand, shell: Shell): void {
  command
    .description("List completions of a command line; for the scripts of `tenon completion`.")
    .argument("[words...]", "the words after `tenon`, up to the one to complete")
    .action(async (words: string[]) => {
      if (!(command.parent instanceof LazyCommand)) return;
      for (const { word, meaning } of await completeWords(command.parent, words)) {
        shell.stdout.write(meaning === undefined ? `${word}\n` : `${word}\t${meaning}\n`);
      }
    });
  examples(command, [["tenon __complete -- cluster st", "start, stop, status"]]);
}

const bash = `_tenon() {
  local candidate
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    case $candidate in
      :files) compopt -o default 2>/dev/null ;;
      *) COMPREPLY+=("$candidate") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _tenon tenon
`;

const zsh = `#compdef tenon
_tenon() {
  local line
  local -a candidates
  for line in "\${(@f)$("$words[1]" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files ;;
      *) candidates+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done
  (( $#candidates )) && _describe tenon candidates
}
if [ "$funcstack[1]" = _tenon ]; then _tenon "$@"; else compdef _tenon tenon; fi
`;

const fish = `function __tenon_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] __complete -- $words[2..] 2>/dev/null)
    if test $line = :files
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c tenon -f -a '(__tenon_complete)'
`;

/** All of them call the hidden `tenon __complete`. */
const completionScripts = { bash, zsh, fish } as const;
