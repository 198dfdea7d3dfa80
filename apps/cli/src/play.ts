/** `emac play`: a game from typed commands, a file or another program. There is no step limit unless one is given. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { EmacError } from '@emac/core';
import { isFolder, isThere } from '@emac/files';
import { findGames, loadGame, World, type Game, type State } from '@emac/world';
import { commandLines } from './command-lines.ts';
import { builtinGameAt } from './games.ts';
import { say, type Io } from './io.ts';
import { lettingSignalsIn } from './let-signals-in.ts';
import type { PlayValues } from './play-command.ts';
import { savePicture } from './step-pictures.ts';
import { hint, typedByAPerson } from './typed-by-a-person.ts';

/** One line of `--json`. */
export interface PlayedStep {
  readonly step: number;
  readonly command: string | null;
  readonly observation: string;
  readonly admissible: readonly string[];
  readonly score: number;
  /** won, or the step limit is reached */
  readonly done: boolean;
  readonly won: boolean;
}

/** Carries out `emac play`; returns 0, or 130 after Ctrl-C at the prompt. Errors: `missing`, `data`, `usage`, `cannot-create`. */
export async function play(name: string, values: PlayValues, io: Io): Promise<number> {
  const given = typedCommands(values, io);
  const isPerson = given === null && isTerminal(io);
  const world = new World(namedGame(name));
  const limit = values['max-steps'] ?? Infinity;
  let wasInterrupted = false;
  const show = async (step: PlayedStep): Promise<void> => {
    if (values.frames !== null) await savePicture(values.frames, step.step, world);
    say(io.stdout, values.json ? JSON.stringify(step) : isPerson ? wordsToAPerson(step) : words(step));
  };
  let last = played(world.reset(), { step: 0, command: null, limit });
  await show(last);
  const typing = { admissible: () => last.admissible, interrupted: () => void (wasInterrupted = true) };
  if (isPerson) say(io.stderr, hint);
  const commands = given ?? (isPerson ? typedByAPerson(io, typing) : askedCommands(io));
  for await (const command of lettingSignalsIn(commands)) {
    last = played(world.step(command), { step: last.step + 1, command, limit });
    await show(last);
    if (io.stdout.isClosed || last.step >= limit || (given === null && last.won)) break;
  }
  return wasInterrupted ? 130 : 0;
}

interface Taken {
  readonly step: number;
  readonly command: string | null;
  readonly limit: number;
}

function played({ observation, admissible, score, won }: State, { step, command, limit }: Taken): PlayedStep {
  return { step, command, observation, admissible, score, done: won || step >= limit, won };
}

function words({ step, command, observation, won, done }: PlayedStep): string {
  const end = won ? `\n\nYou won in ${step} steps.` : done ? '\n\nNo more steps.' : '';
  return `${command === null ? '' : `> ${command}\n`}${observation}${end}`;
}

function isTerminal({ stdin, stdout, stderr }: Io): boolean {
  return (stdin as { isTTY?: boolean }).isTTY === true && stdout.isTerminal && stderr.isTerminal;
}

/** The terminal shows what was typed already. */
function wordsToAPerson({ step, observation, won, done }: PlayedStep): string {
  const steps = step === 1 ? '1 step' : `${step} steps`;
  if (won) return `${observation}\n\nWell done: you won in ${steps}.`;
  return done ? `${observation}\n\nThat was the limit of ${steps}; better luck next time.` : observation;
}

/** Commands from a file or another program; null where a person is asked. */
function typedCommands({ commands, json }: PlayValues, { stdin }: Io): AsyncIterable<string> | null {
  if (commands === null && !json) return null;
  if (commands === null || commands === '-') return commandLines(stdin as AsyncIterable<Buffer>);
  if (!isThere(commands)) throw new EmacError('missing', `--commands ${commands}: is not there`);
  if (isFolder(commands)) throw new EmacError('data', `--commands ${commands}: is a folder`);
  return commandLines(createReadStream(commands) as AsyncIterable<Buffer>);
}

async function* askedCommands({ stdin, stderr }: Io): AsyncGenerator<string> {
  const prompt = (): void => {
    if (stderr.isTerminal) stderr.write('> ');
  };
  prompt();
  for await (const line of createInterface({ input: stdin })) {
    yield line;
    prompt();
  }
}

function namedGame(name: string): Game {
  const builtin = /^(builtin:\w+)\/(\d+)$/.exec(name);
  if (builtin) return builtinGameAt(builtin[1]!, Number(builtin[2]));
  if (name.startsWith('builtin:'))
    throw new EmacError('usage', `${name}: names a suite; give one of its games, e.g. ${name}/0`);
  if (!isFolder(name)) return loadGame(name);
  const { games } = findGames(name);
  if (games.length !== 1)
    throw new EmacError('usage', `${name}: holds ${games.length} games; give the file of one`);
  return loadGame(games[0]!);
}
