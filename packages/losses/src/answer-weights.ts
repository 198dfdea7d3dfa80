/**
 * Weights that turn token terms into one loss, named by TRL's `loss_type`. `grpo` (arXiv 2402.03300): the mean over each answer's
 * tokens, then over answers, so a token of a long answer counts less. `bnpo`: the mean over all tokens of a micro-batch. `dr_grpo`
 * (arXiv 2503.20783): the sum divided by the longest possible answer, a constant. `dapo` (arXiv 2503.14476): the mean over all tokens
 * of the optimizer step, however it is split into micro-batches.
 */
import { EmacError } from '@emac/core';

export const normalizations = ['grpo', 'bnpo', 'dr_grpo', 'dapo'] as const;
export type Normalization = (typeof normalizations)[number];

export interface AnswerWeighting {
  readonly normalization: Normalization;
  /** answers per micro-batch, used only by `bnpo`; the last one may have fewer */
  readonly microBatchSize: number;
  /** most tokens of an answer, used by `dr_grpo` */
  readonly maxLength: number;
}

/**
 * The weight of each token's term by answer, from the lengths in tokens of all answers of one optimizer step; Σ weight · term is the loss.
 * An answer without tokens has weight 0 and still counts as an answer. Errors: `usage` for a size below 1.
 */
export function answerWeights(lengths: readonly number[], weighting: AnswerWeighting): number[] {
  const { normalization, microBatchSize, maxLength } = weighting;
  for (const [name, value] of Object.entries({ microBatchSize, maxLength }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new EmacError('usage', `answerWeights: ${name} must be a whole number from 1, got ${value}`);
  const divisor = (place: number): number => {
    switch (normalization) {
      case 'grpo':
        return lengths.length * lengths[place]!;
      case 'bnpo': {
        const micro = Math.floor(place / microBatchSize) * microBatchSize;
        const microBatches = Math.ceil(lengths.length / microBatchSize);
        return microBatches * total(lengths.slice(micro, micro + microBatchSize));
      }
      case 'dr_grpo':
        return lengths.length * maxLength;
      case 'dapo':
        return total(lengths);
    }
  };
  return lengths.map((length, place) => (length === 0 ? 0 : 1 / divisor(place)));
}

function total(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0);
}
