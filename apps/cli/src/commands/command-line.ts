/**
 * From typed words to a command with checked values. yargs finds commands, flags and help; values stay text until
 * `readValues`, and yargs neither prints nor exits.
 */
import { EmacError, messageOf, notLoaded } from '@emac/core';
import type { Argv } from 'yargs';
import type { Command, NamedCommand } from '../calling/command.ts';
import { directCall, helpPage, purpose, shapeOfArgument } from '../calling/help-page.ts';
import { anyText } from '../options/form.ts';
import { helpGroups, type HelpGroup } from '../options/help-groups.ts';
import { readValues, type Option } from '../options/option.ts';
import { welcome } from '../calling/welcome.ts';

export type Parsed =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly values: Readonly<Record<string, unknown>>;
      readonly words: readonly string[];
    };

export interface CommandLine {
  readonly commands: readonly NamedCommand[];
  /** earlier names of commands, and the words that they stand for */
  readonly earlierNames?: Readonly<Record<string, string>>;
  readonly version: string;
  /** characters in a line of help */
  readonly width: number;
}

type Typed = Readonly<Record<string, unknown>>;

interface Chosen {
  readonly named: NamedCommand;
  readonly command: Command;
  readonly typed: Typed;
}

/** The requested command, or the text of help or version. Errors: `usage`. */
export async function parseCommandLine(words: readonly string[], line: CommandLine): Promise<Parsed> {
  if (words[0] === 'completion' && words[1] === '--') return textOf(await offered(words.slice(2), line));
  const argv = await todaysWords(words[0] === 'help' ? [...words.slice(1), '--help'] : words, line);
  if (argv.length === 0) return textOf(welcome);
  const [only, ...others] = argv;
  // without yargs: loading it takes longer than these answers
  if (others.length === 0 && only === '--help') return textOf(helpPage(line.commands, line.width));
  if (others.length === 0 && only === '--version') return textOf(line.version);
  let chosen: Chosen | undefined;
  const parser = await emptyParser(line);
  // yargs writes the help of every command it chooses: a third of a second for all its flags
  const hidden = !argv.some((word) => /^(--)?help\b/.test(word));
  const choose = (each: Chosen): void => {
    chosen = each;
  };
  addCommands(parser, line.commands, { argv, hidden, choose });
  let output = '';
  try {
    await parser.parseAsync([...argv], {}, (_error: unknown, _typed: unknown, printed: string) => {
      output = printed;
    });
  } catch (thrown) {
    throw thrown instanceof EmacError ? thrown : usage(await meantCommand(messageOf(thrown), line.commands));
  }
  if (!chosen) return textOf(output);
  const { command, named, typed } = chosen;
  const { values, problems: unread } = readValues(command.options, typed);
  const given = [named.argument ? typed[named.argument.name] : []].flat().map(String);
  const problems = [...(await unknownWords(argv, chosen)), ...unread, ...emptyWords(named, given)];
  if (problems.length > 0) throw usage(problems.join('; '), command.name ?? named.name);
  return { kind: 'command', command, values, words: given };
}

/** An empty argument would be the current folder, or nothing. */
function emptyWords({ argument }: NamedCommand, given: readonly string[]): string[] {
  if (!argument || argument.otherwise === '' || !given.includes('')) return [];
  return [`${argument.name}: must not be empty`];
}

/** Completions of the last word; an unknown method before it is left to the command's own check. */
async function offered(words: readonly string[], line: CommandLine): Promise<string> {
  const { offers } = await import('../completion/offers.ts');
  const before = words.slice(0, -1);
  const named = await todaysWords(before, line).catch(() => before);
  return offers(named, words.at(-1) ?? '', { commands: line.commands, folder: process.cwd() });
}

/** With today's name of the command, and of its method. */
async function todaysWords(words: readonly string[], { earlierNames = {} }: CommandLine) {
  const renamedWords = renamed(words, earlierNames);
  const hasAgent = renamedWords.some((word) => /^--agent(=|$)/.test(word));
  const named = hasAgent ? (await import('./agent-words.ts')).withoutAgent(renamedWords) : renamedWords;
  const hasMethods = ['train', 'config show'].some((name) => named.join(' ').startsWith(name));
  return hasMethods ? (await import('./methods.ts')).withoutMethod(named) : named;
}

/** With today's name of the command. */
function renamed(
  words: readonly string[],
  earlierNames: Readonly<Record<string, string>>,
): readonly string[] {
  const earlier = [words.slice(0, 2).join(' '), words[0] ?? ''].find((name) =>
    Object.hasOwn(earlierNames, name),
  );
  if (earlier === undefined) return words;
  const [name, ...flags] = earlierNames[earlier]!.split(/ (?=--)/);
  return [
    ...name!.split(' '),
    ...words.slice(earlier.split(' ').length),
    ...flags.flatMap((flag) => flag.split(' ')),
  ];
}

function textOf(text: string): Parsed {
  return { kind: 'text', text };
}

async function emptyParser({ version, width }: Omit<CommandLine, 'commands'>): Promise<Argv> {
  const { default: yargs } = await import('yargs');
  return yargs()
    .scriptName('emac')
    .locale('en')
    .exitProcess(false)
    .strictCommands()
    .parserConfiguration({
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'camel-case-expansion': false,
      'boolean-negation': false,
      'dot-notation': false,
    })
    .usage(purpose)
    .demandCommand(1, 'name a command')
    .version(version)
    .wrap(width)
    .epilogue(directCall)
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? new Error(message ?? 'the command line is not readable');
    });
}

interface Choice {
  /** the typed words */
  readonly argv: readonly string[];
  /** runs without help text */
  readonly hidden: boolean;
  readonly choose: (chosen: Chosen) => void;
}

/** `model check --compare` becomes `compare` inside `backbone`. */
function addCommands(parser: Argv, commands: readonly NamedCommand[], choice: Choice): void {
  const groups = new Map<string | null, NamedCommand[]>();
  for (const each of commands) groups.set(groupOf(each), [...(groups.get(groupOf(each)) ?? []), each]);
  for (const each of groups.get(null) ?? []) addCommand(parser, each, choice);
  for (const [group, members] of groups) {
    if (group === null) continue;
    parser.command(group, members.map(({ summary }) => summary).join('; '), (inner) => {
      for (const each of members) addCommand(inner, each, choice);
      return inner.demandCommand(1, `a command of ${group} is missing`);
    });
  }
}

function groupOf({ name }: NamedCommand): string | null {
  return name.includes(' ') ? name.split(' ')[0]! : null;
}

/** Its file is loaded on request. */
function addCommand(parser: Argv, named: NamedCommand, { argv, hidden, choose }: Choice): void {
  const { name, argument, summary } = named;
  const word = name.split(' ').at(-1)!;
  let command: Command;
  parser.command(
    argument ? `${word} ${shapeOfArgument(argument)}` : word,
    summary,
    async (inner) => {
      command = await loaded(named, argv);
      const { isListed = () => true } = command;
      if (argument)
        inner.positional(argument.name, {
          type: 'string',
          describe: argument.help,
          ...(argument.otherwise !== undefined && { default: argument.otherwise as string }),
        });
      for (const [flag, each] of Object.entries(command.options)) {
        inner.option(flag, { ...yargsOption(each), hidden: hidden || !isListed(flag) });
        for (const alias of each.aliases ?? []) inner.option(alias, { ...yargsOption(each), hidden: true });
      }
      if (hidden) return inner;
      for (const { title, flags } of groupsOf(command)) inner.group([...flags], `${title}:`);
      return command.epilogue ? inner.epilogue(command.epilogue()) : inner;
    },
    (typed) => choose({ named, command, typed: typed as Typed }),
  );
}

function groupsOf({ options, essentials, isListed = () => true }: Command): HelpGroup[] {
  const listed = Object.fromEntries(Object.entries(options).filter(([flag]) => isListed(flag)));
  return essentials ? helpGroups(listed, essentials) : [];
}

/** Errors: `unavailable` if a part of it, such as a native library, does not load. */
async function loaded({ name, load }: NamedCommand, argv: readonly string[]): Promise<Command> {
  try {
    return await load(argv);
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    throw notLoaded(`emac ${name}:`, thrown);
  }
}

function yargsOption({ help, form, defaultText, isRequired, aliases = [] }: Option<unknown>) {
  if (form.words === null) return { type: 'boolean', describe: help } as const;
  const also = aliases.length > 0 ? `; also --${aliases.join(', --')}` : '';
  const shown = (form === anyText ? '' : ` (${form.words})`) + also;
  return {
    type: 'string',
    requiresArg: true,
    describe: `${help}${shown}${isRequired ? ', required' : ''}`,
    ...(defaultText !== null && { defaultDescription: defaultText }),
  } as const;
}

/** Unknown flags, extra words, and switches with a value: one sentence each. */
async function unknownWords(argv: readonly string[], { named, command, typed }: Chosen): Promise<string[]> {
  const flags = flagsOf(command);
  const names = new Set(['_', '$0', 'help', 'version', named.argument?.name, ...flags]);
  const surplus = (typed['_'] as unknown[]).slice(named.name.split(' ').length);
  const valued = argv.filter(
    (word) => /^--[^=]+=/.test(word) && formOf(command, word.slice(2).split('=')[0]!)?.words === null,
  );
  const strangers = Object.keys(typed).filter((name) => !names.has(name));
  const unknown = strangers.map(async (name) => {
    const near =
      flagsElsewhere[name]?.find((each) => flags.includes(each.split(' ')[0]!)) ??
      (await nearest(name, flags));
    const meant = near === undefined ? '' : ` (did you mean --${near}?)`;
    return `${shownFlag(name)}: is not a flag of emac ${command.name ?? named.name}${meant}`;
  });
  return [
    ...(await Promise.all(unknown)),
    ...(surplus.length > 0 ? [`Unknown argument: ${surplus.join(', ')}`] : []),
    ...valued.map(
      (word) => `${word.split('=')[0]}: is a switch and takes no value, got ${JSON.stringify(word)}`,
    ),
  ];
}

/** Flags of other programs, and what they are here, the first that the command has. */
const flagsElsewhere: Readonly<Record<string, readonly string[]>> = {
  wandb: ['tracker wandb'],
  'total-timesteps': ['steps', 'updates', 'rounds'],
  'num-train-epochs': ['epochs', 'rounds'],
  lrate: ['lr'],
};

/** Including aliases. */
function flagsOf({ options }: Command): string[] {
  return Object.entries(options).flatMap(([flag, { aliases = [] }]) => [flag, ...aliases]);
}

function formOf({ options }: Command, flag: string) {
  return Object.entries(options).find(([name, { aliases }]) => name === flag || aliases?.includes(flag))?.[1]
    .form;
}

function shownFlag(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

/** The closest known word. Its search loads only after an error. */
async function nearest(typed: string, words: readonly string[]): Promise<string | undefined> {
  return (await import('../calling/nearest-word.ts')).nearestWord(typed, words);
}

/** Replaces yargs's message on an unknown command and adds the closest known one. */
async function meantCommand(message: string, commands: readonly NamedCommand[]): Promise<string> {
  const [, typed] = /^Unknown commands?: ([^,\n]+)/m.exec(message) ?? [];
  if (typed === undefined) return message;
  if (typed === 'ls' || typed === 'list')
    return `${message} (did you mean emac runs, emac env ls or emac games list?)`;
  const words = new Set(commands.flatMap(({ name }) => [name, ...name.split(' ')]));
  // a word of another group of commands
  words.delete(typed);
  const near = await nearest(typed, [...words]);
  return near === undefined ? message : `${message} (did you mean ${near}?)`;
}

function usage(message: string, command?: string): EmacError {
  const help = command === undefined ? 'emac --help' : `emac ${command} --help`;
  return new EmacError('usage', `${message.trim().split('\n')[0]}; see "${help}"`);
}
