/**
 * From typed words to a command with checked values. yargs finds commands, flags and help; values stay text until
 * `readValues`, and yargs neither prints nor exits.
 */
import { EmacError, messageOf } from '@emac/core';
import { nearestCommand } from '@emac/postprocess';
import yargs, { type Argv } from 'yargs';
import type { Argument, Command, NamedCommand } from './command.ts';
import { directCall } from './direct-call.ts';
import { anyText } from '../options/form.ts';
import { readValues, type Option } from '../options/option.ts';
import { welcome } from './welcome.ts';

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

/** The command that was asked for, or the text of help or version. Errors: `usage`. */
export async function parseCommandLine(argv: readonly string[], line: CommandLine): Promise<Parsed> {
  if (argv.length === 0) return { kind: 'text', text: welcome };
  let chosen: Chosen | undefined;
  const parser = emptyParser(line);
  addCommands(parser, line.commands, (each) => {
    chosen = each;
  });
  let output = '';
  try {
    await parser.parseAsync([...argv], {}, (_error: unknown, _typed: unknown, printed: string) => {
      output = printed;
    });
  } catch (thrown) {
    throw thrown instanceof EmacError ? thrown : usage(messageOf(thrown));
  }
  if (!chosen) return { kind: 'text', text: output };
  const { command, named, typed } = chosen;
  const { values, problems: unread } = readValues(command.options, typed);
  const problems = [...unknownWords(argv, chosen), ...unread];
  if (problems.length > 0) throw usage(problems.join('; '), named.name);
  const given = named.argument ? typed[named.argument.name] : [];
  const words = (Array.isArray(given) ? given : [given]).map(String);
  return { kind: 'command', command, values, words };
}

function emptyParser({ commands, version, width }: CommandLine): Argv {
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
    .usage('emac: teach a vision-language model to act in household tasks')
    .demandCommand(1, 'name a command')
    .version(version)
    .wrap(width)
    .epilogue(directCall)
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? usage(meantCommand(message ?? 'the command line cannot be read', commands));
    });
}

type Choose = (chosen: Chosen) => void;

/** `backbone compare` becomes `compare` inside `backbone`. */
function addCommands(parser: Argv, commands: readonly NamedCommand[], choose: Choose): void {
  const groups = new Map<string | null, NamedCommand[]>();
  for (const each of commands) groups.set(groupOf(each), [...(groups.get(groupOf(each)) ?? []), each]);
  for (const each of groups.get(null) ?? []) addCommand(parser, each, choose);
  for (const [group, members] of groups) {
    if (group === null) continue;
    parser.command(group, members.map(({ summary }) => summary).join('; '), (inner) => {
      for (const each of members) addCommand(inner, each, choose);
      return inner.demandCommand(1, `name what ${group} is to do`);
    });
  }
}

function groupOf({ name }: NamedCommand): string | null {
  return name.includes(' ') ? name.split(' ')[0]! : null;
}

/** Its file is loaded when it is asked for. */
function addCommand(parser: Argv, named: NamedCommand, choose: Choose): void {
  const { name, argument, summary } = named;
  const word = name.split(' ').at(-1)!;
  let command: Command;
  parser.command(
    argument ? `${word} ${shape(argument)}` : word,
    summary,
    async (inner) => {
      command = await loaded(named);
      if (argument)
        inner.positional(argument.name, {
          type: 'string',
          describe: argument.help,
          ...(argument.otherwise !== undefined && { default: argument.otherwise as string }),
        });
      for (const [flag, each] of Object.entries(command.options)) inner.option(flag, yargsOption(each));
      return command.epilogue ? inner.epilogue(command.epilogue()) : inner;
    },
    (typed) => choose({ named, command, typed: typed as Typed }),
  );
}

/** Errors: `unavailable` where a part that it is made of does not load, such as a native library. */
async function loaded({ name, load }: NamedCommand): Promise<Command> {
  try {
    return await load();
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    const why = messageOf(thrown).trim().split('\n')[0]!;
    throw new EmacError('unavailable', `emac ${name}: cannot be loaded: ${why}; install again with npm ci`, {
      cause: thrown,
    });
  }
}

function shape({ name, isMany, otherwise }: Argument): string {
  const inside = isMany ? `${name}..` : name;
  return otherwise === undefined ? `<${inside}>` : `[${inside}]`;
}

function yargsOption({ help, form, defaultText, isRequired }: Option<unknown>) {
  if (form.words === null) return { type: 'boolean', describe: help } as const;
  const shown = form === anyText ? '' : ` (${form.words})`;
  return {
    type: 'string',
    requiresArg: true,
    describe: `${help}${shown}${isRequired ? ', required' : ''}`,
    ...(defaultText !== null && { defaultDescription: defaultText }),
  } as const;
}

/** Flags that the command has not, words too many, and switches with a value: one sentence each. */
function unknownWords(argv: readonly string[], { named, command, typed }: Chosen): string[] {
  const own = new Set(['_', '$0', 'help', 'version', named.argument?.name, ...Object.keys(command.options)]);
  const flags = Object.keys(typed).filter((name) => !own.has(name));
  const surplus = (typed['_'] as unknown[]).slice(named.name.split(' ').length);
  const valued = argv.filter(
    (word) => /^--[^=]+=/.test(word) && formOf(command, word.slice(2).split('=')[0]!)?.words === null,
  );
  return [
    ...flags.map((name) => `${shownFlag(name)}: is no flag of emac ${named.name}${meant(name, command)}`),
    ...(surplus.length > 0 ? [`Unknown argument: ${surplus.join(', ')}`] : []),
    ...valued.map(
      (word) => `${word.split('=')[0]}: is a switch and takes no value, got ${JSON.stringify(word)}`,
    ),
  ];
}

function formOf({ options }: Command, flag: string) {
  return Object.hasOwn(options, flag) ? options[flag]!.form : undefined;
}

function shownFlag(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function meant(name: string, { options }: Command): string {
  const near = nearestCommand(name, Object.keys(options))?.command;
  return near === undefined ? '' : ` (did you mean --${near}?)`;
}

/** What yargs says of an unknown command, with the one that may have been meant. */
function meantCommand(message: string, commands: readonly NamedCommand[]): string {
  const [, typed] = /^Unknown commands?: ([^,\n]+)/m.exec(message) ?? [];
  if (typed === undefined) return message;
  const words = commands.flatMap(({ name }) => [name, ...name.split(' ')]);
  const near = nearestCommand(typed, [...new Set(words)])?.command;
  return near === undefined ? message : `${message} (did you mean ${near}?)`;
}

function usage(message: string, command?: string): EmacError {
  const help = command === undefined ? 'emac --help' : `emac ${command} --help`;
  return new EmacError('usage', `${message.trim().split('\n')[0]}; "${help}" shows what there is`);
}
