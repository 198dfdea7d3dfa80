/** Completion for bash, as one function with all words in it: a Tab starts no process. */
import { valuesByPlace, type CompletedCommand, type Values } from './completed.ts';
import { quoted, treeOf } from './spelled.ts';

/** A script to be sourced; needs no package of completions. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const { first, groups } = treeOf(commands);
  const ofGroups = groups.map(([group, members]) =>
    entry(
      group,
      members.map(({ word }) => word),
    ),
  );
  const flags = commands.map(({ name, flags: all }) =>
    entry(
      name,
      all.map((flag) => `--${flag.name}`),
    ),
  );
  const values = valuesByPlace(commands).map(([place, each]) => entry(place, offered(each)));
  return `# completion of emac for bash: put it where your bash-completion looks, or source it in ~/.bashrc
_emac_words() {
  case "$1" in
${[entry('', [...first.map(({ word }) => word), '--help', '--version']), ...ofGroups].join('\n')}
  esac
}
_emac_flags() {
  case "$1" in
${flags.join('\n')}
  esac
}
_emac_values() {
  case "$1" in
${values.join('\n')}
  esac
}
${functions}`;
}

/** One line of a `case`. */
function entry(key: string, words: readonly string[]): string {
  return `    ${quoted(key)}) printf '%s\\n' ${words.map(quoted).join(' ')} ;;`;
}

/** `@none` for values nobody can guess, such as a number. */
function offered(values: Values | null): string[] {
  if (values === null) return ['@switch'];
  const { words, runs, files } = values;
  const all = [...words, ...(runs ? ['@runs'] : []), ...(files ? ['@files'] : [])];
  return all.length > 0 ? all : ['@none'];
}

/** Compares word by word: bash's own lists would run code in the name of a folder. */
const functions = `_emac_keep() {
  [[ $1 == "$current"* ]] && COMPREPLY+=("$1")
}
_emac_add() {
  local word found
  while IFS= read -r word; do
    case "$word" in
      @switch | @none) ;;
      @runs)
        for found in runs/*/run.json; do
          [[ -e $found ]] || continue
          found=\${found#runs/}
          _emac_keep "\${found%/run.json}"
        done
        if [[ $current == *@* ]]; then
          for found in best latest; do _emac_keep "\${current%@*}@$found"; done
        fi
        ;;
      @files)
        while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null
        ;;
      *=) _emac_keep "$word" && compopt -o nospace 2>/dev/null ;;
      *) _emac_keep "$word" ;;
    esac
  done
}
_emac() {
  local line="\${COMP_LINE:0:COMP_POINT}" words current command='' flag='' word place kind
  read -r -a words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=\${words[-1]}
  COMPREPLY=()
  for ((place = 1; place < \${#words[@]} - 1; place++)); do
    word=\${words[place]}
    if [[ -n $flag ]]; then flag=''
    elif [[ $word == --*=* ]]; then :
    elif [[ $word == --* ]]; then
      kind=$(_emac_values "$command $word")
      [[ -n $kind && $kind != @switch ]] && flag=$word
    elif [[ -z $command ]] || [[ -n $(_emac_words "$command") ]]; then command=\${command:+$command }$word
    fi
  done
  if [[ -z $flag && $current == --*=* ]]; then
    flag=\${current%%=*}
    current=\${current#*=}
  fi
  if [[ -n $flag ]]; then _emac_add < <(_emac_values "$command $flag")
  elif [[ $current == -* ]]; then _emac_add < <(_emac_flags "$command"; [[ -z $command ]] && printf '%s\\n' --help --version)
  else _emac_add < <(_emac_words "$command"; _emac_values "$command")
  fi
  # readline replaces only what follows the last character that it takes for a border
  local typed=\${words[-1]} border=''
  [[ $COMP_WORDBREAKS == *:* && $typed == *:* ]] && border=\${typed%"\${typed##*:}"}
  [[ $COMP_WORDBREAKS == *=* && $typed == *=* && $typed != --*=*:* ]] && border=\${typed%"\${typed##*=}"}
  [[ $typed == --*=* ]] && border=\${border#*=}
  for place in "\${!COMPREPLY[@]}"; do COMPREPLY[place]=\${COMPREPLY[place]#"$border"}; done
}
complete -F _emac emac
`;
