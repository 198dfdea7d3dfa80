/**
 * NumberLine: move a number to a target, one up or down at a time. A target drawn equal to the start is moved to (target + 1) mod 5,
 * so that after such a draw it is never 5; that is the published rule and the published scores rest on it.
 */
import type { Draws, Game, Outcome } from './game.ts';
import { frameOfNumberLine } from './frame/number-line-frame.ts';
import { numberLinePrompt } from './prompts.ts';

export interface NumberLineState {
  readonly target: number;
  readonly current: number;
  /** actions taken */
  readonly steps: number;
}

export interface NumberLineOptions {
  /** both numbers are from 0 to this; default 5 */
  readonly maxPosition?: number;
}

/** Actions `-` and `+`. Reward 1 and the end at the target, -1 for a step that comes no closer, else 0; cut off after 2 × maxPosition steps. */
export function numberLine({ maxPosition = 5 }: NumberLineOptions = {}): Game<NumberLineState> {
  return {
    id: 'gym_cards/NumberLine-v0',
    actions: ['-', '+'],
    deal: (draws) => dealt(draws, maxPosition),
    act: (state, action) => moved(state, action === 0 ? -1 : 1, maxPosition),
    facts: ({ target, current }) => ({ Target: target, Current: current }),
    text: ({ target, current }) => `Target number: ${target}. Current number: ${current}`,
    arrays: ({ target, current }) => ({
      numbers: { shape: [2], data: Int32Array.of(target, current) },
    }),
    frame: frameOfNumberLine,
    prompt: (_, options) => numberLinePrompt(options),
    expert: ({ target, current }) => (current < target ? 1 : 0),
    look: ({ target, current }) => ({
      fields: { 'current number': String(current), 'target number': String(target) },
      seen: `${current} to ${target}`,
      conclusion: current < target ? 'up' : 'down',
    }),
  };
}

function dealt(draws: Draws, maxPosition: number): NumberLineState {
  const current = draws.integers(0, maxPosition + 1);
  const target = draws.integers(0, maxPosition + 1);
  return { current, target: target === current ? (target + 1) % maxPosition : target, steps: 0 };
}

function moved(state: NumberLineState, by: number, maxPosition: number): Outcome<NumberLineState> {
  const { target } = state;
  const current = Math.min(maxPosition, Math.max(0, state.current + by));
  const steps = state.steps + 1;
  const [before, after] = [Math.abs(state.current - target), Math.abs(current - target)];
  const won = after === 0;
  return {
    state: { target, current, steps },
    reward: won ? 1 : after >= before ? -1 : 0,
    terminated: won,
    truncated: !won && steps >= 2 * maxPosition,
    won,
  };
}
