/**
 * Shortens an overlong prompt: drops whole turns, oldest first; then examples, first ones first; then lessons, oldest
 * first. Rules and task are never dropped, and no part is cut. The published code instead keeps the last characters of
 * the text, even without the task, and loops forever if these have too many tokens.
 */
import type { History } from '@emac/core';

/** The optional and required parts of a prompt. */
export interface PromptParts {
  readonly history: History;
  readonly examples: readonly string[];
  /** oldest first */
  readonly memories: readonly string[];
}

/** How many of each were dropped. */
export interface Dropped {
  readonly turns: number;
  readonly examples: number;
  readonly memories: number;
}

export interface TokenLimit<T> {
  readonly maxTokens: number;
  readonly countTokens: (prompt: T) => number;
}

export interface Fitted<T> {
  readonly prompt: T;
  readonly dropped: Dropped;
  readonly tokens: number;
  /** false if even rules and task alone are too long */
  readonly fits: boolean;
}

/** The longest prompt within the limit, assuming that fewer parts mean fewer tokens. Always ends. */
export function withinBudget<T>(
  parts: PromptParts,
  make: (kept: PromptParts, dropped: Dropped) => T,
  { maxTokens, countTokens }: TokenLimit<T>,
): Fitted<T> {
  const { history, examples, memories } = parts;
  const most = history.turns.length + examples.length + memories.length;
  const attempt = (count: number): Fitted<T> => {
    const dropped = droppedOf(count, parts);
    const prompt = make(without(dropped, parts), dropped);
    const tokens = countTokens(prompt);
    return { prompt, dropped, tokens, fits: tokens <= maxTokens };
  };
  const fewest = smallest(most, (count) => attempt(count).fits);
  return attempt(fewest);
}

function droppedOf(count: number, { history, examples }: PromptParts): Dropped {
  const turns = Math.min(count, history.turns.length);
  const shown = Math.min(count - turns, examples.length);
  return { turns, examples: shown, memories: count - turns - shown };
}

function without(dropped: Dropped, { history, examples, memories }: PromptParts): PromptParts {
  return {
    history: { ...history, turns: history.turns.slice(dropped.turns) },
    examples: examples.slice(dropped.examples),
    memories: memories.slice(dropped.memories),
  };
}

/** The smallest n in 0 … limit where `holds` is true, assuming it stays true from there on; else the limit. */
export function smallest(limit: number, holds: (n: number) => boolean): number {
  if (holds(0)) return 0;
  let fails = 0;
  let works = limit;
  while (works - fails > 1) {
    const middle = (fails + works) >> 1;
    if (holds(middle)) works = middle;
    else fails = middle;
  }
  return works;
}
