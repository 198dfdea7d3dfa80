/** Orders of a player: actions, and in environments with numbered actions another episode; from a file, a program, a person or an agent. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { EmacError, type Seed } from '@emac/core';
import { isFolder, isThere } from '@emac/files';
import { wholeSeed } from '../options/form.ts';
import { say, type Io } from '../terminal/io.ts';
import { linesIn } from '../terminal/lines.ts';
import { hint, typedByAPerson, type Typing } from '../terminal/typed-by-a-person.ts';
import { wrapped } from '../terminal/wrapped.ts';
import type { PlayedGame } from './game.ts';

export type Order =
  | { readonly kind: 'action'; readonly action: string }
  /** another episode; null continues the random stream of the last one */
  | { readonly kind: 'reset'; readonly seed: Seed | null };

interface Given {
  /** a path, or - for standard input */
  readonly commands: string | null;
  readonly json: boolean;
}

/** Lines of a file or another program; null if they are typed. Errors: `missing`, `data`. */
export function givenLines({ commands, json }: Given, { stdin }: Io): AsyncIterable<string> | null {
  if (commands === null && !json) return null;
  if (commands === null || commands === '-') return linesIn(stdin as AsyncIterable<Buffer>);
  if (!isThere(commands)) throw new EmacError('missing', `--commands ${commands}: does not exist`);
  if (isFolder(commands)) throw new EmacError('data', `--commands ${commands}: is a folder`);
  return linesIn(createReadStream(commands) as AsyncIterable<Buffer>);
}

/** Lines of standard input, with a prompt on a terminal. */
export async function* askedLines({ stdin, stderr }: Io): AsyncGenerator<string> {
  const prompt = (): void => {
    if (stderr.isTerminal) stderr.write('> ');
  };
  prompt();
  for await (const line of createInterface({ input: stdin })) {
    yield line;
    prompt();
  }
}

interface Lines {
  readonly game: Pick<PlayedGame, 'actions'>;
  readonly commands: string | null;
  readonly admissible: () => readonly string[];
}

/** Orders in lines; `?` lists the actions, by number if they have one. Errors: `data` for an invalid line, with its number. */
export async function* ordersIn(
  lines: AsyncIterable<string>,
  { game: { actions }, commands, admissible }: Lines,
  { stderr }: Io,
): AsyncGenerator<Order> {
  const from = commands === null || commands === '-' ? 'standard input' : `--commands ${commands}`;
  let line = 0;
  for await (const text of lines) {
    line++;
    if (text.trim() === '?')
      say(stderr, (actions?.map((word, number) => `${number} ${word}`) ?? admissible()).join('\n'));
    else if (actions === null) yield { kind: 'action', action: text };
    else yield resetIn(text) ?? numberIn(text, actions, `${from}, line ${line}`);
  }
}

/** Orders that a person types; numbered actions are typed in words. */
export async function* personalOrders(
  { id, actions }: Pick<PlayedGame, 'id' | 'actions'>,
  typing: Typing,
  io: Io,
): AsyncGenerator<Order> {
  say(io.stderr, wrapped(hint, io.stderr.columns));
  const help = actions && {
    help: `You play ${id}. Type one of the actions after another: ${actions.join(', ')}. reset begins again, reset and a number does so from that seed. Tab completes what you type, ? lists the actions, quit ends the game.`,
  };
  for await (const line of typedByAPerson(io, { ...typing, ...help })) {
    const order = actions === null ? ({ kind: 'action', action: line } as const) : wordIn(line, actions);
    if (order !== null) yield order;
    else say(io.stderr, `${line.trim()}: is not an action; ? lists them`);
  }
}

function wordIn(text: string, actions: readonly string[]): Order | null {
  const action = actions.find((word) => word.toLowerCase() === text.trim().toLowerCase());
  return action === undefined ? resetIn(text) : { kind: 'action', action };
}

function resetIn(text: string): Order | null {
  const found = /^\s*reset(?:\s+(\d+))?\s*$/.exec(text);
  return found && { kind: 'reset', seed: found[1] === undefined ? null : wholeSeed.parse(found[1])! };
}

function numberIn(text: string, actions: readonly string[], place: string): Order {
  const action = /^\s*\d{1,3}\s*$/.test(text) ? actions[Number(text)] : undefined;
  if (action !== undefined) return { kind: 'action', action };
  throw new EmacError(
    'data',
    `${place}: must be the number of an action from 0 to ${actions.length - 1}, reset, or reset SEED, got ${JSON.stringify(text)}`,
  );
}
