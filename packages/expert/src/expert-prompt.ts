/** The prompt of the language-model expert: a conversation for chat models, or ReAct's single text. */
import type { ChatMessage, LabelRequest } from '@emac/core';
import {
  dialectOf,
  expertConversation,
  fewShotExamples,
  memoryBlock,
  reactBase,
  reactText,
  recentMemories,
  withinBudget,
  type Dialect,
  type Fitted,
  type PromptParts,
} from '@emac/prompt';

export interface ExpertPromptOptions {
  /** `chat`: a conversation; `react`: one text up to an open `>`, for plain completion models; default `chat` */
  readonly format?: 'chat' | 'react';
  /** example episodes; default: ours for the task type, in the world's dialect */
  readonly examples?: readonly string[];
  /** number of our examples; default 2, as in ReAct and Reflexion */
  readonly exampleCount?: number;
  /** example episodes by task type, instead of ours */
  readonly examplesOf?: (taskType: string | null) => readonly string[];
  /** default: detected from the admissible commands and the observations */
  readonly dialect?: Dialect;
  /** show the accepted commands (chat only); default false, as published */
  readonly showAdmissible?: boolean;
  /** beyond this many tokens the oldest turns are dropped; needs `countTokens` */
  readonly maxPromptTokens?: number;
  readonly countTokens?: (text: string) => number;
}

/** The messages for one label, and the dropped parts. */
export function fittedExpertPrompt(
  request: LabelRequest,
  options: ExpertPromptOptions,
): Fitted<readonly ChatMessage[]> {
  const { maxPromptTokens: maxTokens = Infinity, countTokens = () => 0 } = options;
  const { history, task, memories } = request;
  const taskType = task.type;
  const admissible = request.admissible ?? undefined;
  const dialect = options.dialect ?? dialectOf({ history, admissible });
  const { examplesOf = ownExamples(dialect, options.exampleCount) } = options;
  const examples = options.examples ?? examplesOf(taskType);
  if (options.format === 'react') {
    const parts = { history, examples, memories: recentMemories(memories) };
    return withinBudget(parts, reactPrompt, {
      maxTokens,
      countTokens: ([message]) => countTokens(message!.content),
    });
  }
  return expertConversation({
    history,
    taskType,
    memories,
    examples,
    dialect,
    ...(options.showAdmissible ? { admissible } : {}),
    maxTokens,
    countTokens,
  });
}

function ownExamples(dialect: Dialect, count?: number): NonNullable<ExpertPromptOptions['examplesOf']> {
  const options = count === undefined ? { dialect } : { dialect, count };
  return (taskType) => fewShotExamples(taskType, options);
}

function reactPrompt({ history, examples, memories }: PromptParts): readonly ChatMessage[] {
  const memory = memoryBlock(memories);
  const base = memory === '' ? reactBase(examples) : `${reactBase(examples)}\n${memory}\n`;
  return [{ role: 'user', content: reactText({ history, base }) }];
}
