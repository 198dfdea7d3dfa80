/**
 * The student's text after its visual tokens: the initial observation, then `> command` and observation for every step,
 * then an open `>`. The target continues it as ` command`, so a command has the same tokens as a target and later in
 * the history. If too long, the oldest steps are dropped, never the task, both while acting and in training. The
 * published code cuts token ids from the left in training and nothing while acting; `left` does the former on
 * characters of the text.
 */
import { quotedTurn, type Dialogue, type History, type Turn } from '@emac/core';
import { initialObservation } from './initial-observation.ts';
import { memoryBlock } from './memory-block.ts';
import { smallest } from './within-budget.ts';

export interface StudentTextOptions {
  /** most tokens of the text, in the model's own tokenizer */
  readonly maxTokens: number;
  /** tokens of a text in the model's own tokenizer, begin token included */
  readonly countTokens: (text: string) => number;
  /** how an overlong text is shortened; default `oldest-steps` */
  readonly truncation?: 'oldest-steps' | 'left';
  /** lessons from failed attempts, oldest first; the last three stand before the room; default none */
  readonly memories?: readonly string[];
  /** with `turns`, a line that looks like a command is quoted (`quotedTurn`); default `message`, where it stays as it is */
  readonly dialogue?: Dialogue | undefined;
}

export interface StudentText {
  readonly text: string;
  /** turns missing from the text, wholly or in part */
  readonly droppedTurns: number;
}

/**
 * The student's prompt for a history. In mode `oldest-steps` it exceeds `maxTokens` only if the initial text alone
 * does. Never throws.
 */
export function studentText(history: History, options: StudentTextOptions): StudentText {
  const written = options.dialogue === 'turns' ? quotedTurn : (text: string) => text;
  const opening = written(openingText(history, options.memories ?? []));
  const turns = history.turns.map(({ command, observation }) =>
    turnText({ command, observation: written(observation) }),
  );
  return options.truncation === 'left'
    ? cutFromLeft(opening, turns, options)
    : dropOldestTurns(opening, turns, options);
}

/** The student's target after `studentText`: a blank and the command. */
export function studentTarget(command: string): string {
  return ` ${command}`;
}

function openingText(history: History, memories: readonly string[]): string {
  const initial = initialObservation(history.initial);
  const block = memoryBlock(memories);
  return block === '' ? initial : `${block}\n\n${initial}`;
}

function turnText({ command, observation }: Turn): string {
  return `\n> ${command}\n${observation}`;
}

function dropOldestTurns(
  opening: string,
  turns: readonly string[],
  options: StudentTextOptions,
): StudentText {
  const textWithout = (dropped: number): string => `${opening}${turns.slice(dropped).join('')}\n>`;
  const fits = (dropped: number): boolean => options.countTokens(textWithout(dropped)) <= options.maxTokens;
  const droppedTurns = smallest(turns.length, fits);
  return { text: textWithout(droppedTurns), droppedTurns };
}

function cutFromLeft(opening: string, turns: readonly string[], options: StudentTextOptions): StudentText {
  const whole = `${opening}${turns.join('')}\n>`;
  const fits = (start: number): boolean => options.countTokens(whole.slice(start)) <= options.maxTokens;
  const found = smallest(whole.length, fits);
  const start = isLowSurrogate(whole.charCodeAt(found)) ? found + 1 : found;
  return { text: whole.slice(start), droppedTurns: turnsBefore(start - opening.length, turns) };
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function turnsBefore(offset: number, turns: readonly string[]): number {
  let position = 0;
  return turns.filter((turn) => {
    const begins = position;
    position += turn.length;
    return begins < offset;
  }).length;
}
