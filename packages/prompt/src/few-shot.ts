/** Which examples a prompt shows: those of the task's own type, in the world's dialect, with or without thoughts. */
import type { TaskType } from '@emac/core';
import { exampleInDialect, type Dialect } from './dialect.ts';
import { exampleEpisodes } from './examples.ts';

export interface FewShotOptions {
  readonly dialect?: Dialect;
  /** keep the `> think:` lines and their `OK.` (ReAct) or leave them out (Act); default true */
  readonly thoughts?: boolean;
}

/** Example episodes for a task type, each ending with `\n`; for an unknown type one simple and one longer task. */
export function fewShotExamples(taskType: TaskType | null, options: FewShotOptions = {}): readonly string[] {
  const { dialect = 'move', thoughts = true } = options;
  const types: readonly TaskType[] = taskType ? [taskType] : unknownTypeExamples;
  return types.map((type) => {
    const text = exampleInDialect(exampleEpisodes[type], dialect);
    return thoughts ? text : text.replace(/^> think:.*\nOK\.\n/gm, '');
  });
}

const unknownTypeExamples: readonly TaskType[] = ['pick_and_place_simple', 'pick_heat_then_place_in_recep'];
