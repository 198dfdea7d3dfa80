/** A curriculum that episodes share: whoever plays asks it for tasks and tells it outcomes, in whatever order they end. */
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
  /** Ids of `count` tasks by what is known now; to be asked for each episode or batch of them. Errors: `usage`. */
  getBatch(count: number, random: Random): readonly string[];
  /** Tells how an episode of a task ended; returns at once, and the next `getBatch` knows it. Errors: `data` for an unknown task. */
  report(taskId: string, success: boolean): void;
  statistics(): CurriculumStatistics;
  /** plain JSON: a curriculum that is made with it goes on from here */
  state(): CurriculumState;
}

export interface CurriculumOptions {
  readonly settings?: Partial<CurriculumSettings>;
  /** what `state()` gave, read from anywhere; from the beginning without one */
  readonly state?: unknown;
}

/** Errors: `usage` for settings and tasks; `data` for a state that is none, or of other tasks. */
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
    `curriculum: the state is of the tasks [${state.tasks.join(', ')}], not [${tasks.join(', ')}]; go on with the tasks that it began with`,
  );
}
