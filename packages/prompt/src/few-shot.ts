/** Chooses a prompt's examples: those of the task's type, in the world's dialect, with or without thoughts. */
import { EmacError } from '@emac/core';
import { exampleInDialect, type Dialect } from './dialect.ts';
import { exampleEpisodes, type ExampleEpisode, type ExampleType } from './examples.ts';
import { secondExampleEpisodes } from './second-examples.ts';

export interface FewShotOptions {
  readonly dialect?: Dialect;
  /** keep the `> think:` lines and their `OK.` (ReAct) or omit them (Act); default true */
  readonly thoughts?: boolean;
  /** how many, from 0 to `mostFewShotExamples`; default `defaultFewShotExamples` */
  readonly count?: number;
}

/** As in ReAct and Reflexion; EMMA shows three. */
export const defaultFewShotExamples = 2;

/** The available number per task type. */
export const mostFewShotExamples = 2;

/**
 * Example episodes for one of ALFWorld's task types, each ending with `\n`, in ReAct's order: number 1, then number 0. An unknown
 * type gets one simple and one longer task. Throws EmacError('usage') for an unavailable count.
 */
export function fewShotExamples(taskType: string | null, options: FewShotOptions = {}): readonly string[] {
  const { dialect = 'move', thoughts = true, count = defaultFewShotExamples } = options;
  if (!Number.isInteger(count) || count < 0 || count > mostFewShotExamples)
    throw new EmacError(
      'usage',
      `few-shot examples: their count must be a whole number from 0 to ${mostFewShotExamples}, got ${count}`,
    );
  return shownAsInReact(numberedEpisodes(taskType), count).map((episode) => {
    const text = exampleInDialect(episode, dialect);
    return thoughts ? text : text.replace(/^> think:.*\nOK\.\n/gm, '');
  });
}

/** The first `count` episodes in ReAct's and Reflexion's order: number 0 last. */
export function shownAsInReact<T>(numbered: readonly T[], count: number): readonly T[] {
  return numbered.slice(0, count).reverse();
}

/** Number 0, number 1. */
function numberedEpisodes(taskType: string | null): readonly ExampleEpisode[] {
  if (hasExamples(taskType)) return [exampleEpisodes[taskType], secondExampleEpisodes[taskType]];
  return [exampleEpisodes.pick_heat_then_place_in_recep, exampleEpisodes.pick_and_place_simple];
}

function hasExamples(type: string | null): type is ExampleType {
  return type !== null && Object.hasOwn(exampleEpisodes, type);
}
