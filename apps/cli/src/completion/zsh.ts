/** Completion for zsh, with a description of each command and flag. */
import { valuesByPlace, type CompletedCommand, type CompletedFlag, type Values } from './completed.ts';
import { quoted, treeOf } from './spelled.ts';

/** A script to store as `_emac` in a folder of `fpath`, or to source after `compinit`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const { first, groups } = treeOf(commands);
  const ofGroups = groups.map(([group, members]) => described(group, members));
  const flags = commands.map(({ name, flags: all }) => described(name, all.map(asWord)));
  const values = valuesByPlace(commands).map(([place, each]) => offers(place, each));
  const atTop = [
    { word: '--help', help: 'Show help' },
    { word: '--version', help: 'Show the version' },
  ];
  return `#compdef emac
# completion of emac for zsh: put it into a folder of your fpath as _emac, or source it after compinit
_emac_words() {
  case "$1" in
${[described('', first), ...ofGroups].join('\n')}
    *) return 1 ;;
  esac
}
_emac_flags() {
  case "$1" in
${[described('', atTop), ...flags].join('\n')}
  esac
}
_emac_values() {
  case "$1" in
${values.join('\n')}
    *) return 1 ;;
  esac
}
${functions}`;
}

function asWord({ name, help }: CompletedFlag) {
  return { word: `--${name}`, help };
}

function described(key: string, words: readonly { readonly word: string; readonly help: string }[]): string {
  const list = words.map(({ word, help }) => quoted(`${word.replaceAll(':', '\\:')}:${help}`));
  return `    ${quoted(key)}) reply=(${list.join(' ')}) ;;`;
}

function offers(key: string, values: Values | null): string {
  if (values === null) return `    ${quoted(key)}) reply=() kinds='switch' ;;`;
  const kinds = [...(values.runs ? ['runs'] : []), ...(values.files ? ['files'] : [])];
  return `    ${quoted(key)}) reply=(${values.words.map(quoted).join(' ')}) kinds='${kinds.join(' ')}' ;;`;
}

const functions = `_emac_offer() {
  local -a reply names
  local kinds=''
  _emac_values "$1" || return 1
  [[ $kinds == switch ]] && return 1
  names=(\${(M)reply:#*=})
  reply=(\${reply:#*=})
  if [[ $kinds == *runs* ]]; then
    reply+=(runs/*/run.json(N:h:t))
    [[ $PREFIX == *@* ]] && reply+=("\${PREFIX%@*}@best" "\${PREFIX%@*}@latest")
  fi
  local found=1
  (( $#names )) && compadd -S '' -a names && found=0
  (( $#reply )) && compadd -a reply && found=0
  [[ $kinds == *files* ]] && _files && found=0
  return $found
}
_emac() {
  local -a reply
  local command='' flag='' word place kinds
  for ((place = 2; place < CURRENT; place++)); do
    word=\${words[place]}
    if [[ -n $flag ]]; then flag=''
    elif [[ $word == --*=* ]]; then :
    elif [[ $word == --* ]]; then
      kinds=''
      _emac_values "$command $word" && [[ $kinds != switch ]] && flag=$word
    elif [[ -z $command ]] || _emac_words "$command"; then command=\${command:+$command }$word
    fi
  done
  if [[ -n $flag ]]; then
    _emac_offer "$command $flag"
  elif [[ $PREFIX == --*=* ]]; then
    flag=\${PREFIX%%=*}
    compset -P '*='
    _emac_offer "$command $flag"
  elif [[ $PREFIX == -* ]]; then
    reply=()
    _emac_flags "$command"
    _describe -o flag reply
  elif _emac_words "$command"; then
    _describe command reply
  else
    _emac_offer "$command"
  fi
}
if [[ $funcstack[1] == _emac ]]; then _emac "$@"; else compdef _emac emac; fi
`;
