/** Completion for fish, with a description of each command and flag. */
import type { CompletedCommand, CompletedFlag, Values } from './completed.ts';
import { quotedForFish as quoted, treeOf } from './spelled.ts';

/** A script for `~/.config/fish/completions/emac.fish`, or to be sourced. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const { first, groups } = treeOf(commands);
  const valued = [
    ...new Set(
      commands.flatMap(({ flags }) => flags.filter(({ values }) => values).map(({ name }) => `--${name}`)),
    ),
  ];
  const lines = [
    ...first.map(({ word, help }) => `complete -c emac -n '__emac_at' -a ${quoted(word)} -d ${quoted(help)}`),
    `complete -c emac -n '__emac_at' -l help -d 'Show help'`,
    `complete -c emac -n '__emac_at' -l version -d 'Show the version'`,
    ...groups.flatMap(([group, members]) =>
      members.map(
        ({ word, help }) => `complete -c emac -n '__emac_at ${group}' -a ${quoted(word)} -d ${quoted(help)}`,
      ),
    ),
    ...commands.flatMap(linesOf),
  ];
  return `# completion of emac for fish: put it into ~/.config/fish/completions/emac.fish
set -g __emac_groups ${groups.map(([group]) => group).join(' ')}
set -g __emac_valued ${valued.join(' ')}
${functions}
complete -c emac -f
${lines.join('\n')}
`;
}

function linesOf({ name, flags, values }: CompletedCommand): string[] {
  const at = `-n '__emac_at ${name}'`;
  return [
    ...flags.map((flag) => flagLine(at, flag)),
    ...(values ? [`complete -c emac ${at}${offered(values)}`] : []),
  ];
}

function flagLine(at: string, { name, help, values }: CompletedFlag): string {
  return `complete -c emac ${at} -l ${name}${values ? ` -r${offered(values)}` : ''} -d ${quoted(help)}`;
}

function offered({ words, runs, files }: Values): string {
  const list = [
    ...words.map((word) => (/^[\w./:=,@-]+$/.test(word) ? word : quoted(word))),
    ...(runs ? ['(__emac_runs)'] : []),
  ];
  return `${files ? ' -F' : ' -f'}${list.length > 0 ? ` -a "${list.join(' ')}"` : ''}`;
}

const functions = `function __emac_runs
    for record in runs/*/run.json
        string replace -r '^runs/(.*)/run\\\\.json$' '$1' -- $record
    end
    set -l typed (commandline -ct | string replace -r '^--[^=]*=' '')
    if string match -q '*@*' -- $typed
        set -l run (string replace -r '@[^@]*$' '' -- $typed)
        printf '%s\\n' $run@best $run@latest
    end
end
function __emac_at
    set -l words (commandline -opc)
    set -l command
    set -l skip 0
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
        else if string match -q -- '--*=*' $word
            continue
        else if string match -q -- '--*' $word
            contains -- $word $__emac_valued; and set skip 1
        else if test (count $command) = 0
            set command $word
        else if test (count $command) = 1; and contains -- $command $__emac_groups
            set -a command $word
        end
    end
    test "$command" = "$argv"
end`;
