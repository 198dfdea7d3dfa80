/** Suites, their tasks, and the fifty initial scenes of each task. */
import { EmacError } from '@emac/core';
import { NumpyRandom } from '@emac/numpy-random';
import { freeSpot } from './expert/spot.ts';
import { firstOpen, type Goal } from './goals.ts';
import type { Scene } from './scene.ts';
import { goalTasks } from './suites/goal.ts';
import { longTasks } from './suites/long.ts';
import { objectTasks } from './suites/object.ts';
import { spatialTasks } from './suites/spatial.ts';
import type { TaskDesign } from './suites/suite.ts';

const designs = {
  spatial: spatialTasks,
  object: objectTasks,
  goal: goalTasks,
  long: longTasks,
} as const satisfies Record<string, readonly TaskDesign[]>;

export type Suite = keyof typeof designs;

/** In their order of difficulty, as published for LIBERO. */
export const suites = ['spatial', 'object', 'goal', 'long'] as const satisfies readonly Suite[];

export const tasksPerSuite = 10;
export const statesPerTask = 50;

/** Initial states: for training (0–39), held-out (40–49), or all. */
export type Split = 'train' | 'held-out' | 'all';

const firstHeldOut = 40;
const placeCount = suites.length * tasksPerSuite;
const furthestState = 2 ** 40;

/** The start of an episode. */
export interface Start {
  /** from 0 */
  readonly task: number;
  /** from 0; from 50 on, further scenes of the task outside all splits */
  readonly state: number;
}

export interface TabletopTask {
  /** the text with `_` for blanks */
  readonly name: string;
  /** the robot's instruction */
  readonly text: string;
  readonly goals: readonly Goal[];
}

/** The ten tasks of a suite, in order. */
export function tasksOf(suite: Suite): readonly TabletopTask[] {
  return designs[suite].map(({ text, goals }) => ({ name: text.replaceAll(' ', '_'), text, goals }));
}

/** The numbers of a split's initial states. */
export function statesOf(split: Split): readonly number[] {
  const all = Array.from({ length: statesPerTask }, (_, state) => state);
  if (split === 'all') return all;
  return all.filter((state) => state < firstHeldOut === (split === 'train'));
}

/** All starts of a split: the first state of every task, then the second of every task, and so on. */
export function startsOf(split: Split): readonly Start[] {
  const tasks = Array.from({ length: tasksPerSuite }, (_, task) => task);
  return statesOf(split).flatMap((state) => tasks.map((task) => ({ task, state })));
}

/** The scene of a start: the same every time. Errors: `usage` for a task or state that does not exist. */
export function sceneOf(suite: Suite, { task, state }: Start): Scene {
  requireBelow('task', task, tasksPerSuite);
  requireBelow('state', state, furthestState);
  const place = suites.indexOf(suite) * tasksPerSuite + task;
  // the suites' own come first
  const seed = state < statesPerTask ? place * statesPerTask + state : state * placeCount + place;
  const [{ goals, draw }, random] = [designs[suite][task]!, NumpyRandom.fromSeed(seed)];
  let scene = draw(random);
  while (firstOpen(scene, goals) === null || !goals.every((goal) => leavesRoom(scene, goal)))
    scene = draw(random);
  return scene;
}

/** A goal beside another thing has a free place from the start. */
function leavesRoom(scene: Scene, goal: Goal): boolean {
  return (goal.kind !== 'left of' && goal.kind !== 'right of') || freeSpot(scene, goal) !== null;
}

function requireBelow(name: string, value: number, count: number): void {
  if (Number.isInteger(value) && value >= 0 && value < count) return;
  throw new EmacError('usage', `tabletop: a ${name} is a whole number from 0 to ${count - 1}, got ${value}`);
}
