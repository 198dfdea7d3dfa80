/**
 * KTO (arXiv 2402.01306) from pairs, whose chosen answer is desirable and whose rejected one is not, or from single answers with a
 * label. The reference point of a micro-batch is estimated as published: the mean of log π − log reference over answers that
 * belong to other prompts, at least 0. Here an answer's prompt is that of the next sample in the micro-batch. A micro-batch of
 * one sample has no other prompt, and the reference point 0.
 */
import { answersTo, invariant, type Scorer, type Trainable } from '@emac/core';
import type { PreferenceOptions } from '@emac/losses';
import type { Method } from './method.ts';
import { labelledKto } from './labelled-kto.ts';
import { pooled, preference, type JudgedPair } from './preference.ts';

export function kto(
  policy: Trainable,
  options: PreferenceOptions,
  reference: Scorer | null,
): Method<JudgedPair> {
  invariant(reference, 'kto: needs a reference policy');
  const ofPairs = preference(policy, { ...options, loss: 'kto' });
  // a dataset has samples of one form
  const methodFor = ([first]: readonly JudgedPair[]) =>
    first?.label === undefined ? ofPairs : labelledKto(policy, options);
  const measured = async (batch: readonly JudgedPair[]): Promise<JudgedPair[]> => {
    const divergence = await divergenceIn(batch, { policy, reference, options });
    return batch.map((pair) => ({ ...pair, divergence }));
  };
  return {
    async gradient(microBatches, lossScale) {
      const batches: JudgedPair[][] = [];
      for (const batch of microBatches) batches.push(await measured(batch));
      return methodFor(batches[0]!).gradient(batches, lossScale);
    },
    measure: async (pairs) => methodFor(pairs).measure(await measured(pairs)),
  };
}

interface Scored {
  readonly policy: Scorer;
  readonly reference: Scorer;
  readonly options: PreferenceOptions;
}

/** max(0, mean of log π − log reference) over the answers of each sample after the next one's prompt. */
async function divergenceIn(
  batch: readonly JudgedPair[],
  { policy, reference, options }: Scored,
): Promise<number> {
  if (batch.length < 2) return 0;
  const rows = batch.map(({ chosen, rejected, label }, place) => ({
    prompt: batch[(place + 1) % batch.length]!.prompt,
    ...answersTo(label === undefined ? [chosen, rejected] : [chosen]),
  }));
  const [now, before] = [await policy.score(rows), await reference.score(rows)];
  const gaps = now.flatMap((answers, row) =>
    answers.map((scores, answer) => pooled(scores, options) - pooled(before[row]![answer]!, options)),
  );
  // in the precision of the graph's inputs
  return Math.fround(Math.max(0, gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length));
}
