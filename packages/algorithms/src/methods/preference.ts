/**
 * Preference learning (second phase of EMMA and EMAC+): DPO prefers the expert's command to the policy's own, by
 * default on mean token log-probabilities, plus `mixRatio` times −log π(chosen). As with imitation, an update is the
 * mean over its micro-batches, and of each micro-batch the mean over its pairs.
 */
import { answersTo, type Prompt, type Scorer, type Target, type Trainable } from '@emac/core';
import {
  numbers,
  preferenceLoss,
  preferenceLossOf,
  preferenceMetrics,
  type PreferenceLogProbabilities,
  type PreferenceOptions,
} from '@emac/losses';
import type { Method } from './method.ts';
import { gradientOver } from './micro-batches.ts';

/** After the prompt one answer is better than the other. */
export interface Pair {
  readonly prompt: Prompt;
  readonly chosen: Target;
  readonly rejected: Target;
  /** the rejected answer was drawn from the other admissible commands */
  readonly isRandom?: boolean;
}

/** Pooled log-probabilities of both answers under the reference policy: means over tokens, or sums, as the loss asks. */
export interface Judgement {
  readonly chosen: number;
  readonly rejected: number;
}

/** In place of a reference: every answer is as likely. */
const uniform: Judgement = { chosen: 0, rejected: 0 };

export interface JudgedPair extends Pair {
  readonly reference: Judgement;
  /** of a dataset's single answer, which stands on both sides: whether it is a good one */
  readonly label?: boolean;
  /** the reference point of its micro-batch, for a loss that reads one */
  readonly divergence?: number;
}

/** Preference learning with a policy. */
export function preference(policy: Trainable, options: PreferenceOptions): Method<JudgedPair> {
  const loss = preferenceLossOf(options);
  return {
    async gradient(microBatches, lossScale) {
      const weightIn =
        ({ length }: readonly JudgedPair[]) =>
        () =>
          1 / length;
      const found = await gradientOver(microBatches, { policy, loss, lossScale, weightIn, rowOf });
      const judged = microBatches.map((microBatch) =>
        microBatch.map((pair) => judgedAs(pair, found.read(pair))),
      );
      return {
        gradients: found.gradients,
        measures: { loss: found.loss, ...measuresOf(judged.flat(), options) },
        microBatches: judged.map((each) => ({ loss: meanLoss(each, options), ...measuresOf(each, options) })),
      };
    },
    async measure(pairs) {
      const rows = pairs.map((pair) => rowOf(pair, 1 / pairs.length));
      const found = await policy.gradient(rows, loss);
      const judged = pairs.map((pair, place) => judgedAs(pair, found.logProbabilities[place]!));
      return { loss: found.loss, ...measuresOf(judged, options) };
    },
  };
}

function rowOf({ prompt, chosen, rejected, reference, divergence }: JudgedPair, weight: number) {
  const constants = {
    referenceChosen: reference.chosen,
    referenceRejected: reference.rejected,
    ...(divergence !== undefined && { divergence }),
  };
  return { prompt, ...answersTo([chosen, rejected]), weight, constants };
}

/** With the policy's pooled log-probabilities of chosen and rejected. */
function judgedAs(
  { reference, divergence }: JudgedPair,
  [policyChosen, policyRejected]: readonly number[],
): PreferenceLogProbabilities<number> {
  return {
    policyChosen: policyChosen!,
    policyRejected: policyRejected!,
    referenceChosen: reference.chosen,
    referenceRejected: reference.rejected,
    ...(divergence !== undefined && { divergence }),
  };
}

type Pairs = readonly PreferenceLogProbabilities<number>[];

/** Means of −log π(chosen) and of the rewards β·(log π − log reference), as the published log names them. */
function measuresOf(pairs: Pairs, options: PreferenceOptions) {
  const { chosenReward, rejectedReward, margin, accuracy, nll } = preferenceMetrics(pairs, options);
  return { nll, w_reward: chosenReward, l_reward: rejectedReward, accuracy, margin };
}

function meanLoss(pairs: Pairs, options: PreferenceOptions): number {
  return pairs.reduce((sum, pair) => sum + preferenceLoss(numbers, pair, options), 0) / pairs.length;
}

/** An answer's log-probability from those of its tokens: their mean, or their sum. */
export function pooled(
  scores: Float32Array,
  { averageLogProbabilities = true }: Pick<PreferenceOptions, 'averageLogProbabilities'>,
): number {
  const sum = scores.reduce((total, value) => total + value, 0);
  return averageLogProbabilities ? sum / scores.length : sum;
}

/**
 * Pairs judged by a reference policy, `batchSize` at a time, both answers in one row, without gradient. While policy
 * and reference are equal, rewards are 0 up to rounding. Without a reference all pairs are judged alike.
 */
export async function judgedBy<Given extends Pair>(
  reference: Scorer | null,
  pairs: readonly Given[],
  { batchSize, ...options }: PreferenceOptions & { readonly batchSize: number },
): Promise<(Given & JudgedPair)[]> {
  if (reference === null) return pairs.map((pair) => ({ ...pair, reference: uniform }));
  const judged: (Given & JudgedPair)[] = [];
  for (let start = 0; start < pairs.length; start += batchSize) {
    const batch = pairs.slice(start, start + batchSize);
    const rows = batch.map(({ prompt, chosen, rejected }) => ({
      prompt,
      ...answersTo([chosen, rejected]),
    }));
    (await reference.score(rows)).forEach((scores, place) => {
      // in the precision of the policy's own log-probabilities
      const [chosen, rejected] = scores.map((each) => Math.fround(pooled(each, options)));
      judged.push({ ...batch[place]!, reference: { chosen: chosen!, rejected: rejected! } });
    });
  }
  return judged;
}
