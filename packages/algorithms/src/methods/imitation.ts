/**
 * Behaviour cloning (EMMA's first phase): cross-entropy of the expert's command, end token included. The published code
 * takes the token mean of each micro-batch, then the mean over an update's micro-batches. So a sample's tokens weigh 1
 * / (label tokens in its micro-batch) / (micro-batches). With these weights fixed, all rows of an update go to the
 * policy at once, in any grouping.
 */
import type { Completion, Prompt, TokenLoss, Trainable } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { scaledRows, unscaled } from '@emac/optim';
import type { Method } from './method.ts';
import { sumWeights } from './micro-batches.ts';

/** After the prompt the expert would give this answer. */
export interface ImitationSample {
  readonly prompt: Prompt;
  readonly answer: Completion;
}

/** Imitation with a policy, by a loss of each token. */
export function imitation(policy: Trainable, tokenLoss: TokenLoss = imitationLoss): Method<ImitationSample> {
  return {
    async gradient(microBatches, lossScale) {
      const weights = sumWeights(
        microBatches.flatMap((microBatch) => {
          const tokens = microBatch.reduce((sum, sample) => sum + answerTokens(policy, sample), 0);
          return microBatch.map((sample) => [sample, 1 / tokens / microBatches.length] as const);
        }),
      );
      const rows = [...weights].map(([{ prompt, answer }, weight]) => ({
        prompt,
        answers: [answer],
        weight,
      }));
      const found = await policy.gradient(scaledRows(rows, lossScale), tokenLoss);
      const { loss, gradients } = unscaled(found, lossScale);
      return { gradients, measures: { loss } };
    },
    measure: async (samples) => ({ loss: await tokenMean(policy, samples) }),
  };
}

/** Tokens that an answer is scored by. */
export function answerTokens(
  policy: Pick<Trainable, 'countAnswerTokens'>,
  { answer }: Pick<ImitationSample, 'answer'>,
): number {
  return typeof answer === 'string' ? policy.countAnswerTokens(answer) : answer.length;
}

/** −log p of a token of an answer, mean over all tokens of all samples. */
async function tokenMean(policy: Trainable, samples: readonly ImitationSample[]): Promise<number> {
  const rows = samples.map(({ prompt, answer }) => ({ prompt, answers: [answer] }));
  const scores = (await policy.score(rows)).map(([answer]) => answer!);
  // the sum of each answer first, then of all: the order decides the last bit
  const sum = scores.reduce((total, answer) => total + answer.reduce((part, value) => part + value, 0), 0);
  return -sum / scores.reduce((total, { length }) => total + length, 0);
}
