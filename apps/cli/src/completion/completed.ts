/** Completions for shells, from the tables of commands. */
import { alfworldArchives } from '@emac/downloads';
import { kinds, suites } from '@emac/opening';
import type { Argument, Command, NamedCommand } from '../calling/command.ts';
import { publishedModels } from '../commands/model/fetch.ts';
import { isSetting } from '../options/configured.ts';
import type { Option } from '../options/option.ts';
import { presetNames } from '../options/preset-values.ts';
import { spelled } from './spelled.ts';

/** The values possible in one place. */
export interface Values {
  readonly words: readonly string[];
  /** names of runs in the folder `runs` */
  readonly runs: boolean;
  readonly files: boolean;
}

export interface CompletedFlag {
  readonly name: string;
  readonly help: string;
  /** null for a switch */
  readonly values: Values | null;
}

export interface CompletedCommand {
  /** words after `emac` */
  readonly name: string;
  readonly help: string;
  readonly flags: readonly CompletedFlag[];
  /** the argument without a flag; null for none */
  readonly values: Values | null;
}

const builtin = suites.map((suite) => `builtin:${suite}`);
const none: Values = { words: [], runs: false, files: false };
const files: Values = { ...none, files: true };
const run: Values = { ...none, words: ['latest'], runs: true, files: true };

/** Known values of flags with free text. */
const ofFlag: Readonly<Record<string, Values>> = {
  ckpt: { ...run, words: ['latest', 'emma-tiny', 'rl-tiny', 'untouched'] },
  ref: { ...run, words: ['latest', 'emma-tiny'] },
  init: { ...run, words: ['latest', 'emma-tiny', 'model', 'random'] },
  resume: run,
  games: { ...files, words: builtin },
  'eval-on': { ...files, words: builtin },
  expert: files,
  env: { ...none, words: kinds.flatMap(({ ids }) => ids) },
  model: { ...files, words: ['emma-tiny', 'rl-tiny', 'lewis-tiny', 'vla-tiny'] },
  policy: { ...files, words: ['rl-tiny', 'vla-tiny', 'mlp', 'cnn'] },
  data: files,
};

const ofArgument: Readonly<Record<string, Values>> = {
  run,
  runs: run,
  checkpoint: run,
  checkpoints: run,
  game: { ...files, words: builtin.map((suite) => `${suite}/0`) },
  archive: { ...none, words: Object.keys(alfworldArchives) },
  model: { ...none, words: Object.keys(publishedModels) },
  preset: { ...none, words: presetNames },
  shell: { ...none, words: ['bash', 'zsh', 'fish'] },
};

const everywhere: CompletedFlag = { name: 'help', help: 'Show help', values: null };

/** Loads every command. */
export function completed(commands: readonly NamedCommand[]): Promise<CompletedCommand[]> {
  return Promise.all(commands.map(async (named) => completedCommand(named, await named.load())));
}

/** Values after a command, and after each of its flags as `COMMAND --FLAG`; null for a switch. */
export function valuesByPlace(
  commands: readonly CompletedCommand[],
): readonly (readonly [place: string, values: Values | null])[] {
  return commands.flatMap(({ name, flags, values }) => [
    ...(values ? [[name, values] as const] : []),
    ...flags.map((flag) => [`${name} --${flag.name}`, flag.values] as const),
  ]);
}

function completedCommand({ name, summary, argument }: NamedCommand, command: Command): CompletedCommand {
  const flags = Object.entries(command.options).map(([flag, option]) => completedFlag(flag, option));
  return {
    name,
    help: spelled(summary),
    flags: [...flags, everywhere],
    values: argument ? valuesOf(argument, command) : null,
  };
}

function completedFlag(name: string, { help, form }: Option<unknown>): CompletedFlag {
  const choices = form.choices ?? [];
  const known = ofFlag[name] ?? (form.words?.startsWith('a text') ? files : none);
  const values = form.words === null ? null : { ...known, words: [...known.words, ...choices] };
  return { name, help: spelled(help), values };
}

function valuesOf({ name }: Argument, { options }: Command): Values {
  if (name !== 'settings') return ofArgument[name] ?? files;
  const paths = Object.values(options).flatMap((option) => (isSetting(option) ? option.paths : []));
  return { ...none, words: [...new Set(paths)].map((path) => `${path}=`) };
}
