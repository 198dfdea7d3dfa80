/** A curriculum shared by concurrent episodes: callers request tasks and report outcomes, in any order. */
import { EmacError, type Random } from '@emac/core';
import {
  beginCurriculum,
  curriculumSettings,
  drawTasks,
  reported,
  statisticsOf,
  type CurriculumSettings,
  type CurriculumState,
  type CurriculumStatistics,
} from './curriculum.ts';
import { readCurriculum } from './read-state.ts';

export interface Curriculum {
  /** Ids of `count` tasks by current knowledge; call it for each episode or batch. Errors: `usage`. */
  getBatch(count: number, random: Random): readonly string[];
  /** Reports how an episode of a task ended; returns at once and affects the next `getBatch`. Errors: `data` for an unknown task. */
  report(taskId: string, success: boolean): void;
  statistics(): CurriculumStatistics;
  /** plain JSON; a curriculum created with it continues from here */
  state(): CurriculumState;
}

export interface CurriculumOptions {
  readonly settings?: Partial<CurriculumSettings>;
  /** a result of `state()`, from any source; default: a fresh start */
  readonly state?: unknown;
}

/** Errors: `usage` for settings and tasks; `data` for an invalid state, or one of other tasks. */
export function curriculumOf(tasks: readonly string[], options: CurriculumOptions = {}): Curriculum {
  const settings = curriculumSettings(options.settings);
  let state = beginCurriculum(tasks);
  if (options.state !== undefined) state = ofTheseTasks(readCurriculum(options.state), state.tasks);
  return {
    getBatch: (count, random) => drawTasks(state, { count, random }, settings),
    report: (taskId, success) => {
      state = reported(state, { taskId, success }, settings);
    },
    statistics: () => statisticsOf(state, settings),
    state: () => state,
  };
}

function ofTheseTasks(state: CurriculumState, tasks: readonly string[]): CurriculumState {
  if (state.tasks.length === tasks.length && state.tasks.every((task, which) => task === tasks[which]))
    return state;
  throw new EmacError(
    'data',
    `curriculum: the state must be of the tasks [${tasks.join(', ')}], got [${state.tasks.join(', ')}]; resume with the tasks of that run`,
  );
}
