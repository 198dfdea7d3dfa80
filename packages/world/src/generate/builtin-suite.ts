/**
 * The built-in suites: generated games in the sizes and task type counts of ALFWorld's splits, the same on every
 * machine. A game is generated on request; names are cheaper than games. Task types are shuffled over the indexes, so
 * that any prefix of a suite is mixed.
 */
import { EmacError, Random } from '@emac/core';
import { generateGame, generatedTaskName } from './generate-game.ts';
import type { GeneratedGame, GenerateOptions } from './generate-game.ts';
import type { Split } from './room.ts';
import { taskTypes, type TaskType } from '../task-type.ts';

export interface BuiltinSuite {
  readonly name: Split;
  readonly length: number;
  /** the task type of every game, by index */
  readonly taskTypes: readonly TaskType[];
  /** the id of one game, without making the game */
  id(index: number): string;
  game(index: number): GeneratedGame;
}

/** Games per task type, in the order of `taskTypes`. */
const sizes: Readonly<Record<Split, readonly number[]>> = {
  train: [790, 308, 650, 459, 533, 813],
  valid_seen: [35, 13, 27, 16, 25, 24],
  valid_unseen: [24, 18, 31, 23, 21, 17],
};

/** A suite by name; generates nothing until requested. An index outside the suite is a usage error. */
export function builtinGames(name: Split): BuiltinSuite {
  const types = Random.fromSeed(`builtin/${name}/types`).shuffle(
    taskTypes.flatMap((type, position) => Array<TaskType>(sizes[name][position]!).fill(type)),
  );
  const options = (index: number): GenerateOptions & { trial: string } => {
    const taskType = types[index];
    if (taskType === undefined)
      throw new EmacError('usage', `builtinGames: ${name} has games 0–${types.length - 1}, got ${index}`);
    const trial = `trial_builtin_${name}_${String(index).padStart(4, '0')}`;
    return {
      random: Random.fromSeed(`builtin/${name}/${index}`),
      split: name,
      dialect: 'move',
      taskType,
      trial,
    };
  };
  return {
    name,
    length: types.length,
    taskTypes: types,
    id: (index) => `${generatedTaskName(options(index))}/${options(index).trial}`,
    game: (index) => generateGame(options(index)),
  };
}

/** One game of a built-in suite. */
export function builtinGame(name: Split, index: number): GeneratedGame {
  return builtinGames(name).game(index);
}
