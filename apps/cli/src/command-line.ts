/**
 * From typed words to a command with checked values. yargs finds commands, flags and help; values stay text until
 * `readValues`, and yargs neither prints nor exits.
 */
import { EmacError, messageOf } from '@emac/core';
import yargs, { type Argv } from 'yargs';
import type { Command } from './command.ts';
import { directCall } from './direct-call.ts';
import { freeText, readValues, type Option } from './option.ts';

export type Parsed =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly values: Readonly<Record<string, unknown>>;
      readonly argument: string;
    };

export interface CommandLine {
  readonly commands: readonly Command[];
  readonly version: string;
  /** characters in a line of help */
  readonly width: number;
}

type Typed = Readonly<Record<string, unknown>>;

/** The command that was asked for, or the text of help or version. Errors: `usage`. */
export async function parseCommandLine(argv: readonly string[], line: CommandLine): Promise<Parsed> {
  let chosen: { command: Command; typed: Typed } | undefined;
  const parser = emptyParser(line);
  addCommands(parser, line.commands, (command, typed) => {
    chosen = { command, typed };
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
  const { command, typed } = chosen;
  checkWords(argv, command, typed);
  const argument = command.argument ? String(typed[command.argument.name]) : '';
  return { kind: 'command', command, values: readValues(command.options, typed), argument };
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

type Choose = (command: Command, typed: Typed) => void;

/** `backbone compare` becomes `compare` inside `backbone`. */
function addCommands(parser: Argv, commands: readonly Command[], choose: Choose): void {
  const groups = new Map<string | null, Command[]>();
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

function groupOf({ name }: Command): string | null {
  return name.includes(' ') ? name.split(' ')[0]! : null;
}

function addCommand(parser: Argv, command: Command, choose: Choose): void {
  const { name, argument, summary, options, epilogue } = command;
  const word = name.split(' ').at(-1)!;
  parser.command(
    argument ? `${word} <${argument.name}>` : word,
    summary,
    (inner) => {
      if (argument) inner.positional(argument.name, { type: 'string', describe: argument.help });
      for (const [flag, each] of Object.entries(options)) inner.option(flag, yargsOption(each));
      return epilogue ? inner.epilogue(epilogue()) : inner;
    },
    (typed) => choose(command, typed as Typed),
  );
}

function yargsOption({ help, form, defaultText, isRequired }: Option<unknown>) {
  if (form === null) return { type: 'boolean', describe: help } as const;
  const shown = form === freeText ? '' : ` (${form})`;
  return {
    type: 'string',
    requiresArg: true,
    describe: `${help}${shown}${isRequired ? ', required' : ''}`,
    ...(defaultText === null ? {} : { defaultDescription: defaultText }),
  } as const;
}

/** What yargs lets pass: words after `--`, and values of switches. */
function checkWords(argv: readonly string[], { name, options }: Command, typed: Typed): void {
  const surplus = (typed['_'] as unknown[]).slice(name.split(' ').length);
  if (surplus.length > 0) throw usage(`Unknown argument: ${surplus.join(', ')}`);
  for (const word of argv) {
    const [flag] = word.split('=');
    if (/^--[^=]+=/.test(word) && options[flag!.slice(2)]?.form === null)
      throw usage(`${flag}: is a switch and takes no value, got ${JSON.stringify(word)}`);
  }
}

function usage(message: string): EmacError {
  return new EmacError('usage', `${message.trim().split('\n')[0]}; "emac --help" shows what there is`);
}
