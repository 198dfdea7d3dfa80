/**
 * The best checkpoint of a run by a moving average of its returns (α 0.99, starting at the first), the meaning of "best checkpoint" in
 * VLA-RL's fork. A slowly climbing average improves at every update; `minDelta` and `interval` limit the number of checkpoints.
 */
import { EmacError } from '@emac/core';

export interface BestReturnSettings {
  /** α from 0 to below 1 */
  readonly decay: number;
  /** the average must exceed the best by more than this; at least 0 */
  readonly minDelta: number;
  /** least number of updates between two bests; at least 1 */
  readonly interval: number;
  /** updates without a best before giving up; null: never */
  readonly patience: number | null;
}

/** As in the fork: every strict improvement, without end. */
export const everyImprovement: BestReturnSettings = { decay: 0.99, minDelta: 0, interval: 1, patience: null };

/** Plain JSON, for a checkpoint; null before the first return. */
export interface BestReturnState {
  /** of all returns so far */
  readonly ema: number;
  /** the average at the last best */
  readonly best: number;
  /** returns so far */
  readonly updates: number;
  /** the update of the last best, from 1 */
  readonly bestUpdate: number;
}

export interface BestReturn {
  readonly state: BestReturnState;
  /** whether this update is the best so far: save now */
  readonly isBest: boolean;
  /** whether `patience` is over */
  readonly isExhausted: boolean;
}

/** The state after one more update's mean return; the first is the best. Errors: `data` for an invalid number; `usage` for settings. */
export function withReturn(
  state: BestReturnState | null,
  meanReturn: number,
  settings: BestReturnSettings = everyImprovement,
): BestReturn {
  requireSettings(settings);
  if (!Number.isFinite(meanReturn))
    throw new EmacError('data', `best return: a return must be a finite number, got ${meanReturn}`);
  if (state === null) return begun(meanReturn, settings);
  const { decay, minDelta, interval } = settings;
  const ema = decay * state.ema + (1 - decay) * meanReturn;
  const updates = state.updates + 1;
  const isBest = ema > state.best + minDelta && updates - state.bestUpdate >= interval;
  const next = isBest
    ? { ema, best: ema, updates, bestUpdate: updates }
    : { ema, best: state.best, updates, bestUpdate: state.bestUpdate };
  return { state: next, isBest, isExhausted: isExhausted(next, settings) };
}

function begun(meanReturn: number, settings: BestReturnSettings): BestReturn {
  const state = { ema: meanReturn, best: meanReturn, updates: 1, bestUpdate: 1 };
  return { state, isBest: true, isExhausted: isExhausted(state, settings) };
}

function isExhausted(state: BestReturnState, { patience }: BestReturnSettings): boolean {
  return patience !== null && state.updates - state.bestUpdate >= patience;
}

function requireSettings({ decay, minDelta, interval, patience }: BestReturnSettings): void {
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;
  const refuse = (setting: string, rule: string, value: number): EmacError =>
    new EmacError('usage', `best return: ${setting}: must be ${rule}, got ${value}`);
  if (!(decay >= 0 && decay < 1)) throw refuse('decay', 'from 0 to below 1', decay);
  if (!(minDelta >= 0 && minDelta < Infinity)) throw refuse('minDelta', '0 or above', minDelta);
  if (!isCount(interval)) throw refuse('interval', 'a whole number from 1', interval);
  if (patience !== null && !isCount(patience))
    throw refuse('patience', 'a whole number from 1, or null', patience);
}
