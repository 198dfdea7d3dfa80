/**
 * The question that turns a failed episode into a plan, in the two published layouts; introduction and layout are the
 * published interface (noahshinn/reflexion, MIT; EMMA's copy has the same words). Departure: the scenario comes from
 * the structured history. The published code cuts it out of the trial log at blank lines, or at `Here is the task:`. So
 * it loses most of the scenario if an answer contains a blank line, and it takes the end of the log for a part of the
 * last episode.
 */
import type { History } from '@emac/core';
import { emmaScenario, recentMemories, reflexionText } from '@emac/prompt';
import { failureExamples } from './failure-examples.ts';

export interface ReflectionInput {
  readonly history: History;
  /** earlier lessons for this game, oldest first; the last three are shown */
  readonly memories?: readonly string[];
  /** a last command without an observation */
  readonly pending?: string | undefined;
  /** failed episodes with their plans; default: ours */
  readonly examples?: string;
  /** default `emma` */
  readonly layout?: 'emma' | 'reflexion';
}

const introduction =
  'You will be given the history of a past experience in which you were placed in an environment and given a task to complete. You were unsuccessful in completing the task. Do not summarize your environment, but rather think about the strategy and path you took to attempt to complete the task. Devise a concise, new plan of action that accounts for your mistake with reference to specific actions that you should have taken. For example, if you tried A and B but forgot C, then devise a plan to achieve C with environment-specific actions. You will need this later when you are solving the same task. Give your plan after "Plan". Here are two examples:';

/** The query for one failed episode; the answer continues after `New plan:`. */
export function reflectionQuery(input: ReflectionInput): string {
  const { history, pending, memories = [], examples = failureExamples, layout = 'emma' } = input;
  const past = pastPlans(memories);
  if (layout === 'emma') {
    const scenario = `${emmaScenario({ history, pending })}STATUS: FAIL`;
    return `${introduction}\n\n${examples}\n${scenario}\n${past}New plan: `;
  }
  const episode = reflexionText({ history, base: '', pending });
  const scenario = `${episode.replace('\nHere is the task:\n', '')}\n\nSTATUS: FAIL`;
  return `${introduction}\n\n${examples}\n\n${scenario}${past === '' ? '' : `\n${past}`}\n\nNew plan:`;
}

function pastPlans(memories: readonly string[]): string {
  const recent = recentMemories(memories);
  if (recent.length === 0) return '';
  return `\nPlans from past attempts:\n${recent.map((memory, index) => `Trial #${index}: ${memory}\n`).join('')}`;
}
