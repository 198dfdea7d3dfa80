/** What the language-model expert reads: a conversation for chat models, or ReAct's single text. */
import type { ChatMessage, LabelRequest, TaskType } from '@emac/core';
import {
  dialectOf,
  expertMessages,
  fewShotExamples,
  memoryBlock,
  reactBase,
  reactText,
  recentMemories,
  withinBudget,
  type Dialect,
  type PromptParts,
} from '@emac/prompt';

export interface ExpertPromptOptions {
  /** `chat`: a conversation; `react`: one text up to an open `>`, as plain completion models want it; default `chat` */
  readonly format?: 'chat' | 'react';
  /** example episodes; default: ours for the task type, in the world's dialect */
  readonly examples?: readonly string[];
  /** the same, by task type */
  readonly examplesOf?: (taskType: TaskType | null) => readonly string[];
  /** default: told from the admissible commands and the observations */
  readonly dialect?: Dialect;
  /** show the commands that the world accepts (chat only); default false, as published */
  readonly showAdmissible?: boolean;
  /** oldest turns are left out over this many tokens; needs `countTokens` */
  readonly maxPromptTokens?: number;
  readonly countTokens?: (text: string) => number;
}

/** The messages to send for one label. */
export function expertPrompt(request: LabelRequest, options: ExpertPromptOptions): readonly ChatMessage[] {
  const { history, admissible, taskType, memories } = request;
  const dialect = options.dialect ?? dialectOf({ history, admissible });
  const { examplesOf = () => fewShotExamples(taskType, { dialect }) } = options;
  const examples = options.examples ?? examplesOf(taskType);
  if (options.format === 'react') return [{ role: 'user', content: reactPrompt(request, examples, options) }];
  return expertMessages({
    history,
    taskType,
    memories,
    examples,
    dialect,
    ...(options.showAdmissible ? { admissible } : {}),
    ...(options.maxPromptTokens === undefined ? {} : { maxTokens: options.maxPromptTokens }),
    ...(options.countTokens === undefined ? {} : { countTokens: options.countTokens }),
  });
}

function reactPrompt(
  { history, memories }: LabelRequest,
  examples: readonly string[],
  options: ExpertPromptOptions,
): string {
  const { maxPromptTokens: maxTokens = Infinity, countTokens = () => 0 } = options;
  const parts = { history, examples, memories: recentMemories(memories) };
  return withinBudget(parts, reactPromptOf, { maxTokens, countTokens }).prompt;
}

function reactPromptOf({ history, examples, memories }: PromptParts): string {
  const memory = memoryBlock(memories);
  const base = memory === '' ? reactBase(examples) : `${reactBase(examples)}\n${memory}\n`;
  return reactText({ history, base });
}
