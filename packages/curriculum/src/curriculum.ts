/**
 * A curriculum as a value: for each task a moving average of its successes (s ← α s + (1 − α) · outcome, from ½) and the number of reported
 * episodes. A report only updates numbers, so nobody waits for it. Departures from VLA-RL's manager: a floor under the probabilities, because
 * without it a task that always or never succeeds never returns; and the random generator is passed in.
 */
import { EmacError, type Random } from '@emac/core';
import {
  requireWeighting,
  taskProbabilities,
  type CurriculumFormula,
  type CurriculumWeighting,
} from './weights.ts';

export interface CurriculumSettings extends CurriculumWeighting {
  /** α from 0 to below 1; with 0.99 it takes 69 successes in a row from 0.5 to 0.75 */
  readonly decay: number;
}

/** Plain JSON, for a checkpoint; entries of the lists correspond by index. */
export interface CurriculumState {
  readonly tasks: readonly string[];
  /** 0 … 1 */
  readonly ema: readonly number[];
  /** number of reported episodes */
  readonly counts: readonly number[];
}

/** By task id. */
export interface CurriculumStatistics {
  readonly ema: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly probabilities: Readonly<Record<string, number>>;
}

/** Each formula's τ from its source, else 1. */
const temperatures: Readonly<Record<CurriculumFormula, number>> = {
  half: 0.02,
  paper: 0.5,
  failures: 1,
  distance: 1,
};

/** Default: α 0.99, `half` with τ 0.02 and a floor of 0.1; other formulas have their own τ. Errors: `usage`. */
export function curriculumSettings(given: Partial<CurriculumSettings> = {}): CurriculumSettings {
  const formula = given.formula ?? 'half';
  const settings: CurriculumSettings = {
    formula,
    temperature: given.temperature ?? temperatures[formula],
    floor: given.floor ?? 0.1,
    floorRule: given.floorRule ?? 'exact',
    decay: given.decay ?? 0.99,
  };
  requireWeighting(settings);
  if (!(settings.decay >= 0 && settings.decay < 1))
    throw new EmacError('usage', `curriculum: decay: must be from 0 to below 1, got ${settings.decay}`);
  return settings;
}

/** Every task at one half, without reports. Errors: `usage` without tasks, or for duplicates. */
export function beginCurriculum(tasks: readonly string[]): CurriculumState {
  if (tasks.length === 0 || new Set(tasks).size !== tasks.length)
    throw new EmacError('usage', `curriculum: needs tasks with different ids, got [${tasks.join(', ')}]`);
  return { tasks: [...tasks], ema: tasks.map(() => 0.5), counts: tasks.map(() => 0) };
}

/** The state after one episode of a task. Errors: `data` for an unknown task. */
export function reported(
  state: CurriculumState,
  outcome: { readonly taskId: string; readonly success: boolean },
  { decay }: CurriculumSettings,
): CurriculumState {
  const which = state.tasks.indexOf(outcome.taskId);
  if (which < 0)
    throw new EmacError('data', `curriculum: no task ${outcome.taskId}; there are ${state.tasks.join(', ')}`);
  const next = decay * state.ema[which]! + (1 - decay) * (outcome.success ? 1 : 0);
  return {
    tasks: state.tasks,
    ema: state.ema.with(which, next),
    counts: state.counts.with(which, state.counts[which]! + 1),
  };
}

/** Ids of `count` tasks, drawn independently, so repeats are possible. Errors: `usage` for an invalid count. */
export function drawTasks(
  state: CurriculumState,
  { count, random }: { readonly count: number; readonly random: Random },
  settings: CurriculumSettings,
): readonly string[] {
  if (!Number.isInteger(count) || count < 0)
    throw new EmacError('usage', `curriculum: a batch must be a whole number of tasks, got ${count}`);
  const probabilities = taskProbabilities(state.ema, settings);
  return Array.from({ length: count }, () => state.tasks[random.weightedIndex(probabilities)]!);
}

/** Statistics for logs and charts. */
export function statisticsOf(state: CurriculumState, settings: CurriculumSettings): CurriculumStatistics {
  const byTask = (values: readonly number[]): Record<string, number> =>
    Object.fromEntries(state.tasks.map((task, which) => [task, values[which]!]));
  return {
    ema: byTask(state.ema),
    counts: byTask(state.counts),
    probabilities: byTask(taskProbabilities(state.ema, settings)),
  };
}
