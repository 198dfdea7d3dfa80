/**
 * Learning rates of an update, by its number in the run. Policy and values fall together, over all updates, as in RL4VLM, whose one optimizer has both; or each has a
 * schedule of its own, which counts the updates in which it learns, as in VLA-RL: the policy's begins after those in which the values learn alone.
 */
import { decayShare } from '@emac/optim';
import type { PpoOptimizationSettings } from './ppo-settings.ts';

export interface UpdateRates {
  readonly policy: number;
  /** before the scale that a group of parameters has */
  readonly value: number;
}

/** Of update number `update`, from 0, of `updates`; the policy's is the first of its own while it does not learn yet. */
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
