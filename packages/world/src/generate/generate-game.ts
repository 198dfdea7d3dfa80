/**
 * Generates new games in ALFWorld's file format: a room from the room table, objects placed as in the real
 * rooms, a task that the placement does not already satisfy, the PDDL and grammar texts, and a shortest
 * walkthrough. Everything is drawn from the generator passed in; equal generators give equal games.
 */
import type { Random } from '@emac/core';
import { chooseTask, taskName } from './choose-task.ts';
import type { GameTask, TaskWish } from './choose-task.ts';
import { domainText } from './domain-text.ts';
import { furnish } from './furnish.ts';
import { grammarText } from './grammar-text.ts';
import { instanceNames } from './instance-names.ts';
import { problemText } from './problem-text.ts';
import type { Split } from './room.ts';
import { walkthroughOf } from './walkthrough.ts';
import type { Dialect } from '../dialect.ts';
import type { TaskType } from '../task-type.ts';

/** The content of a `game.tw-pddl` file. */
export interface GeneratedFile {
  readonly pddl_domain: string;
  readonly grammar: string;
  readonly pddl_problem: string;
  readonly solvable: true;
  readonly walkthrough: readonly string[];
}

export interface GeneratedGame {
  /** `<task>/<trial>`, the game's folder in ALFWorld's layout */
  readonly id: string;
  readonly taskType: TaskType;
  readonly file: GeneratedFile;
}

export interface GenerateOptions {
  readonly random: Random;
  readonly split: Split;
  readonly dialect: Dialect;
  /** a name of the room table, e.g. 'K3'; any room of the split when absent */
  readonly room?: string;
  readonly taskType?: TaskType;
  /** task folder names to exclude */
  readonly exclude?: ReadonlySet<string>;
  /** the trial's name; derived from the generator's state when absent */
  readonly trial?: string;
}

const sentences: Readonly<Record<TaskType, readonly string[]>> = {
  pick_and_place_simple: ['put a {object} in {target}', 'put some {object} on {target}'],
  look_at_obj_in_light: ['look at {object} under the {target}', 'examine the {object} with the {target}'],
  pick_clean_then_place_in_recep: [
    'put a clean {object} in {target}',
    'clean some {object} and put it in {target}',
  ],
  pick_heat_then_place_in_recep: [
    'put a hot {object} in {target}',
    'heat some {object} and put it in {target}',
  ],
  pick_cool_then_place_in_recep: [
    'put a cool {object} in {target}',
    'cool some {object} and put it in {target}',
  ],
  pick_two_obj_and_place: ['put two {object} in {target}', 'find two {object} and put them in {target}'],
};

/** One new game; a room and task type that do not go together are a usage error. */
export function generateGame(options: GenerateOptions): GeneratedGame {
  const { random, dialect } = options;
  const task = chooseTask(random, wishOf(options));
  const trial = options.trial ?? `trial_G${random.uint32().toString(16).padStart(8, '0')}`;
  const layout = random.stream(`layout/${random.uint32()}`);
  const objects = furnish(task, layout);
  const names = instanceNames([...objects, ...task.room.receptacles].map((item) => item.id));
  const start = layout.pick(task.room.freeLocations);
  return {
    id: `${taskName(task)}/${trial}`,
    taskType: task.type,
    file: {
      pddl_domain: domainText(dialect),
      grammar: grammarText(sentence(task, layout), dialect),
      pddl_problem: problemText({ trial, task, objects, start }),
      solvable: true,
      walkthrough: walkthroughOf({ task, objects, names, dialect }),
    },
  };
}

/** The task name alone of the game that the same options would give; much cheaper than the game. */
export function generatedTaskName(options: GenerateOptions): string {
  return taskName(chooseTask(options.random, wishOf(options)));
}

function wishOf({ split, room, taskType, exclude }: GenerateOptions): TaskWish {
  return {
    split,
    ...(room === undefined ? {} : { room }),
    ...(taskType === undefined ? {} : { taskType }),
    ...(exclude === undefined ? {} : { exclude }),
  };
}

function sentence({ type, object, target }: GameTask, random: Random): string {
  const text = random.pick(sentences[type]);
  return text.replace('{object}', object.toLowerCase()).replace('{target}', target.toLowerCase());
}
