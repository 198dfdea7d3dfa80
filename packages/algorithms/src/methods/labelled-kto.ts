/** KTO of a dataset's single answers: λ_D or λ_U times the loss of each, a micro-batch being the mean of its answers. */
import { answersTo, EmacError, type Trainable } from '@emac/core';
import { ktoLossOf, type PreferenceOptions } from '@emac/losses';
import type { Method } from './method.ts';
import { gradientOver } from './micro-batches.ts';
import type { JudgedPair } from './preference.ts';

/** Samples have a label, a divergence, and their answer as `chosen`. Errors: `usage` for a mix ratio, which belongs to pairs. */
export function labelledKto(policy: Trainable, options: PreferenceOptions): Method<JudgedPair> {
  if (options.mixRatio > 0)
    throw new EmacError(
      'usage',
      `--mix-ratio: must be 0 for completions with a label, got ${options.mixRatio}; give 0, or a dataset of pairs`,
    );
  const loss = ktoLossOf(options);
  const weightOf = ({ label }: JudgedPair) =>
    (label ? options.desirableWeight : options.undesirableWeight) ?? 1;
  return {
    async gradient(microBatches, lossScale) {
      const weightIn =
        ({ length }: readonly JudgedPair[]) =>
        (sample: JudgedPair) =>
          weightOf(sample) / length;
      const found = await gradientOver(microBatches, { policy, loss, lossScale, weightIn, rowOf });
      const measured = (samples: readonly JudgedPair[]) =>
        measuresOf(samples.map((sample) => rewardOf(sample, found.read(sample)[0]!, options)));
      return {
        gradients: found.gradients,
        measures: { loss: found.loss, ...measured(microBatches.flat()) },
        microBatches: microBatches.map(measured),
      };
    },
    async measure(samples) {
      const rows = samples.map((sample) => rowOf(sample, weightOf(sample) / samples.length));
      const found = await policy.gradient(rows, loss);
      const rewards = samples.map((sample, row) =>
        rewardOf(sample, found.logProbabilities[row]![0]!, options),
      );
      return { loss: found.loss, ...measuresOf(rewards) };
    },
  };
}

function rowOf({ prompt, chosen, label, reference, divergence = 0 }: JudgedPair, weight: number) {
  const constants = { reference: reference.chosen, divergence, sign: label ? 1 : -1 };
  return { prompt, ...answersTo([chosen]), weight, constants };
}

interface Reward {
  readonly label: boolean;
  /** β(log π − log reference) */
  readonly reward: number;
  /** on the right side of the reference point */
  readonly isRight: boolean;
}

function rewardOf(
  { label = false, reference, divergence = 0 }: JudgedPair,
  logProbability: number,
  { beta }: PreferenceOptions,
): Reward {
  const gap = logProbability - reference.chosen;
  return { label, reward: beta * gap, isRight: label ? gap > divergence : gap < divergence };
}

/** Mean rewards of good and of bad answers, null where there are none. */
function measuresOf(rewards: readonly Reward[]) {
  const mean = (label: boolean): number | null => {
    const own = rewards.filter((each) => each.label === label);
    return own.length === 0 ? null : own.reduce((sum, { reward }) => sum + reward, 0) / own.length;
  };
  const right = rewards.filter(({ isRight }) => isRight).length;
  return { w_reward: mean(true), l_reward: mean(false), accuracy: right / rewards.length };
}
