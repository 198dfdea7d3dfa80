/**
 * Learning rates of an update, by its number in the run. One schedule for policy and critic over all updates, as in
 * RL4VLM (one optimizer for both). Or each has its own, counting the updates in which it learns, as in VLA-RL: the
 * policy's begins after the critic's warm-up.
 */
import { decayShare } from '@emac/optim';
import type { PpoOptimizationSettings } from './ppo-settings.ts';

export interface UpdateRates {
  readonly policy: number;
  /** before the scale that a group of parameters has */
  readonly value: number;
}

/** Rates of update number `update`, from 0, of `updates`; during the critic's warm-up the policy's is its first. */
export function updateRates(
  optimization: Pick<
    PpoOptimizationSettings,
    'learningRate' | 'schedule' | 'finalShare' | 'decayUpdates' | 'valueSchedule' | 'valueInitSteps'
  >,
  update: number,
  updates: number,
): UpdateRates {
  const { learningRate, schedule, finalShare, decayUpdates, valueSchedule, valueInitSteps } = optimization;
  const rate = (of: typeof schedule, done: number, own: number) =>
    learningRate * decayShare({ schedule: of, finalShare, length: decayUpdates ?? own }, done);
  if (valueSchedule === null) {
    const both = rate(schedule, update, updates);
    return { policy: both, value: both };
  }
  return {
    // a policy that never learns has no length either
    policy: rate(schedule, Math.max(0, update - valueInitSteps), Math.max(1, updates - valueInitSteps)),
    value: rate(valueSchedule, update, updates),
  };
}
