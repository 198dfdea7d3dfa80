/** The words that complete a typed line, from the tables of commands. */
import type { Command, NamedCommand } from '../calling/command.ts';
import type { Option } from '../options/option.ts';

interface Place {
  readonly commands: readonly NamedCommand[];
  /** the working directory */
  readonly folder: string;
}

/**
 * Completions of `current` after the words `before`, one a line: the word, for commands and flags a tab and the help. A value of `--flag=` comes with its
 * flag.
 */
export async function offers(
  before: readonly string[],
  current: string,
  { commands, folder }: Place,
): Promise<string> {
  const named = commands.find(({ name }) => name === before.slice(0, name.split(' ').length).join(' '));
  if (!named) return begun(nextWords(before, commands), current);
  const command = await named.load(before);
  // the tables of values load the library, which the names of commands do not need
  const { argumentValues, valuesOf, wordsFor } = await import('./values.ts');
  const [, flag, typed] = /^(--[^=]+=)(.*)$/s.exec(current) ?? [];
  const joined = flag && optionOf(command, flag.slice(0, -1));
  if (joined) return begun(wordsFor(valuesOf(...joined), typed!, folder), typed!, flag);
  const option = optionOf(command, before.at(-1)!);
  if (option && option[1].form.words !== null)
    return begun(wordsFor(valuesOf(...option), current, folder), current);
  if (current.startsWith('-')) return begun(flagsOf(command), current);
  return begun(
    named.argument ? wordsFor(argumentValues(named.argument, command), current, folder) : [],
    current,
  );
}

function begun(words: readonly string[], typed: string, flag = ''): string {
  return words
    .filter((word) => word.startsWith(typed))
    .map((word) => flag + word)
    .join('\n');
}

/** The next words of commands; of a group, with the words after it. */
function nextWords(before: readonly string[], commands: readonly NamedCommand[]): string[] {
  const group = before.map((word) => `${word} `).join('');
  const help = new Map<string, string>();
  for (const { name, summary } of commands.filter((each) => each.name.startsWith(group))) {
    const [word, next] = name.slice(group.length).split(' ') as [string, string?];
    help.set(word, next === undefined ? summary : [help.get(word), next].filter(Boolean).join(', '));
  }
  const ends = before.length === 0 ? ['--help\tShow help', '--version\tShow the version'] : [];
  return [...[...help].map(([word, told]) => explained(word, told)), ...ends];
}

function flagsOf({ options }: Command): string[] {
  return [
    ...Object.entries(options).map(([flag, { help }]) => explained(`--${flag}`, help)),
    '--help\tShow help',
  ];
}

/** Without characters special to terminals. */
function explained(word: string, help: string): string {
  const line = help.replace(/\s+/g, ' ').replace(/[^\x20-\x7e‘’“”–…×]/gu, '');
  return `${word}\t${line.trim()}`;
}

type NamedOption = readonly [flag: string, option: Option<unknown>];

function optionOf({ options }: Command, word: string): NamedOption | undefined {
  return Object.entries(options).find(
    ([flag, { aliases = [] }]) => word.startsWith('--') && [flag, ...aliases].includes(word.slice(2)),
  );
}
