/** `emac env ls ENV`: the facts of one environment, or of a game, and what the agent sees first. */
import { writeFileSync } from 'node:fs';
import { EmacError, type Observation } from '@emac/core';
import { whileWriting } from '@emac/files';
import { encodePng } from '@emac/images';
import { firstOf, gamesKind, kindOf, sensesOf, shownEnvironment, type ShownEnvironment } from '@emac/opening';
import { printable } from '@emac/postprocess';
import { givenEnvironment } from '../../options/given-code.ts';
import { isEnvironmentId, isPlayedModule, isWordedId } from '../../play/environment-id.ts';
import { namedGame } from '../../play/named-game.ts';
import { say, type Io } from '../../terminal/io.ts';
import { wrapped } from '../../terminal/wrapped.ts';
import { actionsText, rewardsText, tasksText } from './facts-text.ts';

/** Prints the facts of the named environment; `picture`: a new PNG file for its first observation. */
export async function showEnvironment(
  name: string,
  { picture, json }: { readonly picture: string | null; readonly json: boolean },
  io: Io,
): Promise<void> {
  const shown = await shownOf(name);
  if (picture !== null) await savePicture(name, picture, shown.first);
  say(io.stdout, json ? JSON.stringify(jsonOf(shown)) : textOf(shown, io));
}

/** Errors: as `kindOf` and opening it; for a game as `namedGame`. */
async function shownOf(name: string): Promise<ShownEnvironment> {
  if (!isGame(name)) {
    const { environment = null } = await givenEnvironment(name);
    const kind = kindOf(name, environment);
    return shownEnvironment(kind, kind.idOf(name)!);
  }
  const game = namedGame(name);
  const steps = 50;
  const kind = gamesKind([game], steps);
  const task = kind.tasks.heldOut.at(0);
  const first = await firstOf(kind, task);
  const facts = { id: task.id, actions: first.admissible, steps, rewards: [0, 1], player: true } as const;
  return { facts: { ...facts, training_tasks: 1, held_out_tasks: 0, shows: sensesOf(first) }, task, first };
}

/** A game's file or folder, or one of a built-in suite. */
function isGame(name: string): boolean {
  if (name.startsWith('builtin:') || name.endsWith('.tw-pddl')) return true;
  return !isPlayedModule(name) && !isWordedId(name) && !isEnvironmentId(name);
}

/** Errors: `usage` without a picture; `cannot-create`, also for an existing file. */
async function savePicture(name: string, path: string, { frames: [frame] }: Observation): Promise<void> {
  if (!frame) throw new EmacError('usage', `--picture: ${name} shows no picture; leave it out`);
  const png = await encodePng(frame);
  whileWriting(path, () => writeFileSync(path, png, { flag: 'wx' }));
}

function jsonOf({ facts, task, first }: ShownEnvironment) {
  return { ...facts, opening: { task: task.id, text: first.text, ...shapesOf(first) } };
}

function shapesOf({ frames, arrays = {} }: Observation) {
  return {
    pictures: frames.map(({ width, height }) => [width, height]),
    arrays: Object.fromEntries(Object.entries(arrays).map(([name, { shape }]) => [name, shape])),
  };
}

function textOf({ facts, task, first }: ShownEnvironment, { stdout }: Io): string {
  const { pictures, arrays } = shapesOf(first);
  const sizes = {
    text: 'text',
    picture: `${pictures.length === 1 ? 'a picture' : 'pictures'} of ${pictures.map((size) => size.join(' × ')).join(', ')}`,
    arrays: `arrays ${Object.entries(arrays)
      .map(([name, shape]) => `${name} (${shape.join(' × ') || 'one number'})`)
      .join(', ')}`,
  };
  const rows = [
    ['tasks', tasksText(facts)],
    ['actions', actionsText(facts)],
    ['limit', facts.steps === 1 ? '1 step' : `${facts.steps} steps`],
    ['rewards', rewardsText(facts)],
    ['player', facts.player ? 'scripted' : 'none; give one with --expert FILE'],
    ['shows', facts.shows.map((sense) => sizes[sense]).join('; ')],
  ];
  const lines = rows.map(([what, said]) =>
    wrapped(`${what!.padEnd(9)}${printable(said!)}`, Math.max(40, stdout.columns - 1), ' '.repeat(9)),
  );
  return [facts.id, ...lines, '', `Task ${printable(task.id)} begins:`, printable(first.text)].join('\n');
}
