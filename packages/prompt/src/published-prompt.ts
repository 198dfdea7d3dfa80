/**
 * The prompts of the published programs for completion models, within a token budget: ReAct's, Reflexion's or EMMA's
 * text up to the open `>`. The caller chooses examples and order: ReAct and Reflexion show number 1, then 0 of a task
 * type; EMMA shows 0, 1 and 2, without 0 once there are lessons.
 */
import type { History } from '@emac/core';
import { recentMemories } from './memory-block.ts';
import { emmaBase, emmaText, reactBase, reactText, reflexionText } from './published-text.ts';
import { withinBudget, type Fitted, type PromptParts } from './within-budget.ts';

export type PublishedLayout = 'react' | 'reflexion' | 'emma';

export interface PublishedPrompt {
  readonly history: History;
  readonly examples: readonly string[];
  /** lessons, oldest first; the last three are shown; ReAct shows none */
  readonly memories?: readonly string[];
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
}

/** The prompt and the parts dropped for the token budget. Never throws, always ends. */
export function publishedPrompt(layout: PublishedLayout, prompt: PublishedPrompt): Fitted<string> {
  const { history, maxTokens, countTokens } = prompt;
  const memories = layout === 'react' ? [] : recentMemories(prompt.memories ?? []);
  const spared = layout === 'emma' && memories.length > 0 && prompt.examples.length > 1 ? 1 : 0;
  const parts = { history, examples: prompt.examples.slice(spared), memories };
  return withinBudget(parts, (kept) => texts[layout](kept), { maxTokens, countTokens });
}

const texts: Readonly<Record<PublishedLayout, (parts: PromptParts) => string>> = {
  react: ({ history, examples }) => reactText({ history, base: reactBase(examples) }),
  reflexion: ({ history, examples, memories }) =>
    `${reflexionText({ history, base: reactBase(examples), memories })}>`,
  emma: ({ history, examples, memories }) => `${emmaText({ history, base: emmaBase(examples), memories })}> `,
};
