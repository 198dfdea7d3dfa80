/**
 * The expert's prompt for chat models: one system message (rules, commands, examples), then the episode: memories, room
 * and task from the user, commands from the assistant, observations from the user. ReAct and its successors send one
 * long text instead; see `published-text.ts`.
 */
import type { ChatMessage, History } from '@emac/core';
import { dialectOf, type Dialect } from './dialect.ts';
import { fewShotExamples } from './few-shot.ts';
import { initialObservation } from './initial-observation.ts';
import { memoryBlock, recentMemories } from './memory-block.ts';
import { withinBudget, type Dropped, type Fitted, type PromptParts } from './within-budget.ts';

export interface ExpertPrompt {
  readonly history: History;
  readonly taskType: string | null;
  /** lessons, oldest first; the last three are shown */
  readonly memories?: readonly string[];
  /** example episodes as text; default: ours for the task type */
  readonly examples?: readonly string[];
  /** every command that the world accepts now; shown with the newest observation */
  readonly admissible?: readonly string[] | undefined;
  /** default: detected from the admissible commands and the observations */
  readonly dialect?: Dialect;
  /** most tokens of the messages, in the model's own encoding */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
}

/**
 * Messages that end with the newest observation, whose answer is the next command, and the parts dropped for the token
 * budget. Never throws.
 */
export function expertConversation(prompt: ExpertPrompt): Fitted<readonly ChatMessage[]> {
  const { maxTokens, countTokens } = prompt;
  return withinBudget(partsOf(prompt), (kept, dropped) => messagesOf(prompt, kept, dropped), {
    maxTokens,
    countTokens: (messages) =>
      messages.reduce((sum, { content }) => sum + countTokens(content) + tokensOfAMessage, tokensOfAnAnswer),
  });
}

/** Tokens that OpenAI's chat format adds per message, and before the answer (OpenAI's cookbook on counting tokens). */
const [tokensOfAMessage, tokensOfAnAnswer] = [4, 3];

function partsOf(prompt: ExpertPrompt): PromptParts {
  const { history, taskType, memories = [] } = prompt;
  const examples = prompt.examples ?? fewShotExamples(taskType, { dialect: dialectIn(prompt) });
  return { history, examples, memories: recentMemories(memories) };
}

function dialectIn({ dialect, history, admissible }: ExpertPrompt): Dialect {
  return dialect ?? dialectOf({ history, admissible });
}

function messagesOf(
  prompt: ExpertPrompt,
  { history, examples, memories }: PromptParts,
  dropped: Dropped,
): readonly ChatMessage[] {
  const opening = openingText({ history, examples, memories }, dropped.turns);
  const episode: ChatMessage[] = [{ role: 'user', content: opening }];
  for (const { command, observation } of history.turns)
    episode.push({ role: 'assistant', content: command }, { role: 'user', content: observation });
  return [
    { role: 'system', content: instructions(dialectIn(prompt), examples) },
    ...withAdmissible(episode, prompt.admissible),
  ];
}

function openingText({ history, memories }: PromptParts, dropped: number): string {
  const parts = [memoryBlock(memories), initialObservation(history.initial)];
  if (dropped > 0)
    parts.push(`(${dropped} earlier ${dropped === 1 ? 'step is' : 'steps are'} left out here.)`);
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The sentence in `openingText` about dropped steps. */
export const leftOutSentence = /\n\n\(\d+ earlier steps? (?:is|are) left out here\.\)$/;

/** The heading of the accepted commands, listed one per line. */
export const admissibleHeading = '\n\nCommands the world accepts now:\n';

function withAdmissible(messages: ChatMessage[], admissible: readonly string[] | undefined): ChatMessage[] {
  const newest = messages.at(-1);
  if (!newest || !admissible || admissible.length === 0) return messages;
  const content = `${newest.content}${admissibleHeading}${admissible.join('\n')}`;
  return [...messages.slice(0, -1), { role: 'user', content }];
}

function instructions(dialect: Dialect, examples: readonly string[]): string {
  const place = dialect === 'put' ? 'put {object} in/on {receptacle}' : 'move {object} to {receptacle}';
  const rules = `You act in a household that is told in text, one command at a time, to fulfil a task.
Answer with exactly one command on one line and nothing else. The commands are:
go to {receptacle}
open {receptacle}
close {receptacle}
take {object} from {receptacle}
${place}
clean {object} with {receptacle}
heat {object} with {receptacle}
cool {object} with {receptacle}
slice {object} with {object}
use {object}
examine {object or receptacle}
look
inventory
Names end with a number, as in mug 1: use them as the observations give them. You can carry one object at a time. "Nothing happens." means that the world did not accept the command: do something else then.
Before a command you may answer with one line of reasoning that begins with "think:"; it is answered by "OK.".`;
  return examples.length === 0
    ? rules
    : `${rules}\n\n${introduction(examples)}\n\n${examples.join('\n').trimEnd()}`;
}

function introduction(examples: readonly string[]): string {
  const count = examples.length === 1 ? 'is an example' : `are ${examples.length} examples`;
  return `Here ${count}, with every command after "> ":`;
}
