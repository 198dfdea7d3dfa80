/**
 * From typed words to a command with checked values. yargs finds commands, flags and help; values stay text until
 * `readValues`, and yargs neither prints nor exits.
 */
import { EmacError, messageOf } from '@emac/core';
import yargs, { type Argv } from 'yargs';
import type { Argument, Command, NamedCommand } from './command.ts';
import { directCall } from './direct-call.ts';
import { anyText } from '../options/form.ts';
import { readValues, type Option } from '../options/option.ts';

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
  checkWords(argv, chosen);
  const { typed } = chosen;
  const { argument: own } = chosen.named;
  const given = own ? typed[own.name] : [];
  const words = (Array.isArray(given) ? given : [given]).map(String);
  return {
    kind: 'command',
    command: chosen.command,
    values: readValues(chosen.command.options, typed),
    words,
  };
}

function emptyParser({ version, width }: CommandLine): Argv {
  return yargs()
    .scriptName('emac')
    .locale('en')
    .exitProcess(false)
    .strict()
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
      throw error ?? usage(message ?? 'the command line cannot be read');
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
      command = await named.load();
      if (argument)
        inner.positional(argument.name, {
          type: 'string',
          describe: argument.help,
          ...(argument.otherwise !== undefined && { default: argument.otherwise }),
        });
      for (const [flag, each] of Object.entries(command.options)) inner.option(flag, yargsOption(each));
      return command.epilogue ? inner.epilogue(command.epilogue()) : inner;
    },
    (typed) => choose({ named, command, typed: typed as Typed }),
  );
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

/** What yargs lets pass: words after `--`, and values of switches. */
function checkWords(argv: readonly string[], { named, command, typed }: Chosen): void {
  const surplus = (typed['_'] as unknown[]).slice(named.name.split(' ').length);
  if (surplus.length > 0) throw usage(`Unknown argument: ${surplus.join(', ')}`);
  for (const word of argv) {
    const [flag] = word.split('=');
    if (/^--[^=]+=/.test(word) && command.options[flag!.slice(2)]?.form.words === null)
      throw usage(`${flag}: is a switch and takes no value, got ${JSON.stringify(word)}`);
  }
}

function usage(message: string): EmacError {
  return new EmacError('usage', `${message.trim().split('\n')[0]}; "emac --help" shows what there is`);
}
