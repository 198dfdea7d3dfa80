/**
 * The three published layouts of an episode as plain text for a language model, byte for byte: ReAct (ysymyth/ReAct
 * alfworld.ipynb), Reflexion (noahshinn/reflexion alfworld_runs) and EMMA (stevenyangyj/Emma-Alfworld emma_utils.py).
 * They differ in line breaks, in the place of memories and in EMMA's full stop after the task. An unanswered command is
 * `pending`.
 */
import type { History } from '@emac/core';
import { itemsOf, itemText, type HistoryItem } from './history-items.ts';
import { initialObservation } from './initial-observation.ts';
import { memoryBlock } from './memory-block.ts';

export interface PublishedTextInput {
  readonly history: History;
  /** the text's beginning, unchanged: instruction and few-shot examples */
  readonly base: string;
  /** lessons, oldest first; the last three are shown */
  readonly memories?: readonly string[];
  /** a last command without an observation */
  readonly pending?: string | undefined;
  /** all items, if there are others than turns; default: the turns and `pending` */
  readonly items?: readonly HistoryItem[];
}

/** `Interact with a household …`, then the examples in order (each ends with a line break). */
export function reactBase(examples: readonly string[]): string {
  const count = introductions[examples.length] ?? ' Here are examples.';
  return `Interact with a household to solve a task.${count}\n${examples.join('')}`;
}

/** by the number of examples; the published one has two */
const introductions = ['', ' Here is one example.', ' Here are two examples.', ' Here are three examples.'];

/** ReAct's prompt, up to the open `>`. */
export function reactText({ history, base }: PublishedTextInput): string {
  const turns = history.turns.map(({ command, observation }) => ` ${command}\n${observation}\n>`);
  return `${base}\nHere is the task.\n${initialObservation(history.initial)}\n>${turns.join('')}`;
}

/** Reflexion's history; its prompt is this and `>`. */
export function reflexionText({ base, memories = [], ...episode }: PublishedTextInput): string {
  const block = memories.length > 0 ? `\n\n${memoryBlock(memories, 'reflexion')}` : '';
  const query = `${base}${block}\nHere is the task:\n${initialObservation(episode.history.initial)}`;
  return `${query}\n${itemTexts(episode).join('\n')}`;
}

/** EMMA's history; its prompt is this and `> `. */
export function emmaText({ base, memories = [], ...episode }: PublishedTextInput): string {
  const block = memories.length > 0 ? `\n${memoryBlock(memories)}\n` : '';
  return `${base}${block}\n${emmaScenario(episode)}`;
}

type PlayedEpisode = Pick<PublishedTextInput, 'history' | 'pending' | 'items'>;

/** The part of `emmaText` that belongs to the episode: room, task with a full stop, items; ends with a line break. */
export function emmaScenario(episode: PlayedEpisode): string {
  const lines = [`${initialObservation(episode.history.initial)}.`, ...itemTexts(episode)];
  return lines.map((line) => `${line}\n`).join('');
}

function itemTexts({ history, pending, items = itemsOf(history, pending) }: PlayedEpisode): string[] {
  return items.map(itemText);
}
