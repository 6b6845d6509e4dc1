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

/** All of them ask the hidden `tenon __complete`, which answers one candidate a line, and its meaning after a tab. */
export const completionScripts = { bash, zsh, fish } as const;
export type CompletedShell = keyof typeof completionScripts;
