/** Each shell's script: at Tab it asks the command itself, so that it stays true after an update. Words that end in = or / get no blank. */
export const scripts: Readonly<Record<string, string>> = {
  // bash replaces only the part after the last : or = of a word
  bash: `# completion of emac for bash: put it where your bash-completion looks, or source it in ~/.bashrc
_emac() {
  local line="\${COMP_LINE:0:COMP_POINT}" breaks="\${COMP_WORDBREAKS//[^:=]/}" border='' words word _
  read -r -a words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  word=\${words[-1]}
  [[ -n $breaks && $word == *[$breaks]* ]] && border=\${word%"\${word##*[$breaks]}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    [[ -f \${word#--*=} || $word == */ ]] && compopt -o filenames 2>/dev/null
    [[ $word == *= ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("\${word#"$border"}")
  done < <(emac completion -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _emac emac`,
  zsh: `#compdef emac
# completion of emac for zsh: put it into a folder of your fpath as _emac, or source it after compinit
_emac() {
  local -a offers open
  offers=("\${(@f)$(emac completion -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  offers=("\${(@)\${(@)offers:#}//:/\\\\:}")
  offers=("\${(@)offers/$'\\t'/:}")
  open=("\${(@M)offers:#*[=/]}")
  offers=("\${(@)offers:#*[=/]}")
  (( $#open )) && _describe emac open -S ''
  (( $#offers )) && _describe emac offers
}
if [[ $funcstack[1] == _emac ]]; then _emac "$@"; else compdef _emac emac; fi`,
  fish: `# completion of emac for fish: put it into ~/.config/fish/completions/emac.fish
function __emac_offers
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    emac completion -- $words[2..-1] "$current" 2>/dev/null
end
complete -c emac -f -a '(__emac_offers)'`,
};
