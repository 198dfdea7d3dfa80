/** Which examples a prompt shows: those of the task's own type, in the world's dialect, with or without thoughts. */
import { exampleInDialect, type Dialect } from './dialect.ts';
import { exampleEpisodes, type ExampleType } from './examples.ts';

export interface FewShotOptions {
  readonly dialect?: Dialect;
  /** keep the `> think:` lines and their `OK.` (ReAct) or leave them out (Act); default true */
  readonly thoughts?: boolean;
}

/**
 * Example episodes for one of ALFWorld's task types, each ending with `\n`; for a type that is not known one simple and
 * one longer task.
 */
export function fewShotExamples(taskType: string | null, options: FewShotOptions = {}): readonly string[] {
  const { dialect = 'move', thoughts = true } = options;
  const types = hasExamples(taskType) ? [taskType] : unknownTypeExamples;
  return types.map((type) => {
    const text = exampleInDialect(exampleEpisodes[type], dialect);
    return thoughts ? text : text.replace(/^> think:.*\nOK\.\n/gm, '');
  });
}

function hasExamples(type: string | null): type is ExampleType {
  return type !== null && Object.hasOwn(exampleEpisodes, type);
}

const unknownTypeExamples: readonly ExampleType[] = [
  'pick_and_place_simple',
  'pick_heat_then_place_in_recep',
];
