/** Environments whose action is a robot's seven numbers: the suites of the tabletop, their starts for training and those held out. */
import { EmacError, type Random, type Seed, type StepEnvironment } from '@emac/core';
import {
  startsOf,
  stepLimitOf,
  tabletop,
  tabletopByWords,
  tabletopIds,
  tasksOf,
  type Split,
  type Suite,
  type Tabletop,
  type TabletopOptions,
} from '@emac/tabletop';

/** What an environment is stepped by: an action's number, or a robot's numbers. */
export type StepAction = number | readonly number[];

/** Pixels of the side of a picture that a model sees, as of LIBERO's cameras in OpenVLA's data. */
export const demonstrationSize = 256;

export function isRobotId(id: string): boolean {
  return id.startsWith('tabletop/') || isRemoteRobotId(id);
}

/** A robot that a client elsewhere plays: LIBERO's suites of ten tasks, and that of ninety. */
export function isRemoteRobotId(id: string): boolean {
  return /^libero_((spatial|object|goal|10)(\/\d)?|90(\/[1-8]?\d)?)$/.test(id);
}

/** `tabletop/<suite>` or a suite of LIBERO, alone or with `/<task>`. Errors: `usage`. */
export function robotId(name: string): string {
  if (isRemoteRobotId(name)) return name;
  if (/^tabletop\/[a-z]+(\/\d)?$/.test(name) && tabletopIds.includes(suiteName(name))) return name;
  throw new EmacError(
    'usage',
    `${name}: is no environment; there are ${tabletopIds.join(', ')}, with /0 to /9 for one task`,
  );
}

/** The name of the suite: what statistics of actions are kept by. */
export function suiteName(id: string): string {
  return id
    .split('/')
    .slice(0, isRemoteRobotId(id) ? 1 : 2)
    .join('/');
}

/** Steps after which an episode ends by itself. */
export function robotStepLimit(id: string): number {
  return stepLimitOf(id.split('/')[1] as Suite);
}

export interface RobotSettings {
  readonly split: Split;
  /** seeds are the starts' numbers, in place of what starts are drawn with */
  readonly isCounted: boolean;
  /** null for the suite's own */
  readonly maxSteps: number | null;
  /** pixels of a frame's side */
  readonly size: number;
}

/** Errors: `usage` for one that does not run here. */
export function requireHere(id: string): void {
  if (isRemoteRobotId(id))
    throw new EmacError(
      'usage',
      `${id}: does not run here, a client elsewhere plays it; only emac eval --world http can have it`,
    );
}

/** By seven numbers. Errors: `usage` for one that does not run here. */
export function robotEnvironment(id: string, settings: RobotSettings): Tabletop {
  requireHere(id);
  return tabletop(id, optionsOf(settings));
}

/** By the words that a hand is told, for policies that choose among actions. Errors: `usage` for one that does not run here. */
export function wordedRobot(id: string, settings: RobotSettings): StepEnvironment {
  requireHere(id);
  return tabletopByWords(id, optionsOf(settings));
}

function optionsOf({ split, isCounted, maxSteps, size }: RobotSettings): TabletopOptions {
  const starts = isCounted ? 'counted' : 'drawn';
  return { split, size, starts, ...(maxSteps !== null && { maxSteps }) };
}

/** A start that its environment counts by the seed. */
export interface CountedStart {
  readonly seed: Seed;
  /** `<suite>/<task>/<state>` */
  readonly id: string;
  /** what is asked for */
  readonly task: string;
}

/** All starts of an id's split, in the order in which they are counted. Errors: `usage` for one that does not run here. */
export function countedStarts(id: string, split: Exclude<Split, 'all'>): readonly CountedStart[] {
  requireHere(id);
  const [, suite, only] = id.split('/') as [string, Suite, string | undefined];
  const tasks = tasksOf(suite);
  return startsOf(split)
    .filter(({ task }) => only === undefined || task === Number(only))
    .map((start, seed) => ({
      seed,
      id: `${suiteName(id)}/${start.task}/${start.state}`,
      task: tasks[start.task]!.text,
    }));
}

/** The tasks of an id, and a start of each: what a curriculum chooses from. */
export function robotTasks(id: string) {
  const starts = countedStarts(id, 'train');
  const tasks = [...new Set(starts.map(({ task }) => task))];
  const of = new Map(tasks.map((task) => [task, starts.filter((start) => start.task === task)]));
  return { tasks, seedOf: (task: string, random: Random): Seed => random.pick(of.get(task)!).seed };
}
