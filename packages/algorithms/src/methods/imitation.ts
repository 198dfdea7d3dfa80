/**
 * Behaviour cloning (EMMA's first phase): cross-entropy of the expert's command, end token included. The published code
 * takes the token mean of each micro-batch, then the mean over an update's micro-batches. So a sample's tokens weigh 1
 * / (label tokens in its micro-batch) / (micro-batches). With these weights fixed, all rows of an update go to the
 * policy at once, in any grouping.
 */
import { answersTo, EmacError, type Target, type Prompt, type TokenLoss, type Trainable } from '@emac/core';
import { imitationLoss, numbers } from '@emac/losses';
import type { Method } from './method.ts';
import { gradientOver } from './micro-batches.ts';

/** After the prompt the expert would give this answer. */
export interface ImitationSample {
  readonly prompt: Prompt;
  readonly answer: Target;
}

/** Imitation with a policy, by a loss of each token. */
export function imitation(policy: Trainable, tokenLoss: TokenLoss = imitationLoss): Method<ImitationSample> {
  return {
    async gradient(microBatches, lossScale) {
      const { loss, gradients, read } = await gradientOver(microBatches, {
        policy,
        loss: tokenLoss,
        lossScale,
        weightIn(microBatch) {
          const tokens = microBatch.reduce((sum, sample) => sum + answerTokens(policy, sample), 0);
          return () => 1 / tokens;
        },
        rowOf: ({ prompt, answer }, weight) => ({ prompt, ...answersTo([answer]), weight }),
      });
      const losses = microBatches.map((microBatch) => ({
        loss: meanTerm(microBatch.flatMap(read), tokenLoss),
      }));
      return { gradients, measures: { loss }, microBatches: losses };
    },
    measure: async (samples) => ({ loss: await tokenMean(policy, samples) }),
  };
}

/** The loss of a token, mean over tokens with these log-probabilities. */
function meanTerm(logProbabilities: readonly number[], { formula }: TokenLoss): number {
  const absent = (name: string): never => {
    throw new EmacError('internal', `imitation: its loss reads ${name}, which no row has`);
  };
  const terms = logProbabilities.map((logProbability) =>
    formula(numbers, {
      logProbability,
      get entropy() {
        return absent('the entropy');
      },
      constant: absent,
    }),
  );
  return terms.reduce((sum, term) => sum + term, 0) / terms.length;
}

/** Tokens that an answer is scored by. */
export function answerTokens(
  policy: Pick<Trainable, 'countAnswerTokens'>,
  { answer }: Pick<ImitationSample, 'answer'>,
): number {
  if (typeof answer === 'string') return policy.countAnswerTokens(answer);
  return 'scored' in answer ? answer.scored.filter(Boolean).length : answer.length;
}

/** −log p of a token of an answer, mean over all tokens of all samples. */
async function tokenMean(policy: Trainable, samples: readonly ImitationSample[]): Promise<number> {
  const rows = samples.map(({ prompt, answer }) => ({ prompt, ...answersTo([answer]) }));
  const scores = (await policy.score(rows)).map(([answer]) => answer!);
  // the sum of each answer first, then of all: the order decides the last bit
  const sum = scores.reduce((total, answer) => total + answer.reduce((part, value) => part + value, 0), 0);
  return -sum / scores.reduce((total, { length }) => total + length, 0);
}
