/**
 * Behaviour cloning (EMMA's first phase): cross-entropy of the expert's command, end token included. The published
 * code takes the token mean of every micro-batch as it was drawn and then the mean over the micro-batches of an
 * update; a sample's tokens therefore weigh 1 / (label tokens in its micro-batch) / (micro-batches). With the weights
 * fixed like that, all rows of an update go to the student at once, and it may group them as it likes.
 */
import type { ImitationRow, Student } from '@emac/core';
import type { Learner } from './learner.ts';
import type { ProbeStep } from './probe.ts';
import {
  distinctAppender,
  drawMicroBatches,
  sumWeights,
  type ImitationSample,
  type SampleStore,
} from './sample-store.ts';
import { selectSteps, type LabelledStep } from './select-steps.ts';
import type { TrainingSettings } from './settings.ts';
import type { PolicyTexts } from './texts.ts';

export interface ImitationParts {
  readonly student: Student;
  readonly store: SampleStore<ImitationSample>;
  readonly texts: PolicyTexts;
  readonly settings: Pick<TrainingSettings, 'selection' | 'trainOnUnusable'>;
  readonly probe?: readonly ProbeStep[];
}

/** Learning from the expert's labels. */
export function imitationLearner({ student, store, texts, settings, probe = [] }: ImitationParts): Learner {
  const target = (step: LabelledStep): string | null =>
    step.label ?? (settings.trainOnUnusable ? step.own : null);
  const append = distinctAppender(store, {
    distinct: settings.selection.keep === 'distinct',
    words: (sample) => [sample.features.key, sample.text, sample.target],
  });
  return {
    size: () => store.size,
    async store(steps) {
      const before = store.size;
      for (const step of selectSteps(steps, settings.selection)) {
        const command = target(step);
        if (command === null) continue;
        const { gameId, round, index, features, text } = step;
        await append({ gameId, round, step: index, features, text, target: texts.target(command) });
      }
      return store.size - before;
    },
    async gradient(draw) {
      const microBatches = drawMicroBatches(store.size, draw);
      const { loss, gradients } = await student.imitationGradient(
        await weightedRows(student, store, microBatches),
      );
      return { gradients, measures: { loss } };
    },
    async probe() {
      if (probe.length === 0) return null;
      const rows = probe.map(({ features, text, label }) => ({
        features,
        text,
        target: texts.target(label),
      }));
      return { loss: await tokenMean(student, rows), steps: probe.length };
    },
  };
}

async function weightedRows(
  student: Student,
  store: SampleStore<ImitationSample>,
  microBatches: readonly (readonly number[])[],
): Promise<ImitationRow[]> {
  const samples = new Map<number, ImitationSample>();
  for (const index of microBatches.flat())
    if (!samples.has(index)) samples.set(index, await store.read(index));
  const tokens = (index: number): number => student.countTargetTokens(samples.get(index)!.target);
  const weights = sumWeights(
    microBatches.flatMap((microBatch) => {
      const labelTokens = microBatch.reduce((sum, index) => sum + tokens(index), 0);
      return microBatch.map((index) => [index, 1 / labelTokens / microBatches.length] as const);
    }),
  );
  return [...weights].map(([index, weight]) => {
    const { features, text, target } = samples.get(index)!;
    return { features, text, target, weight };
  });
}

/** −log p of a target token, mean over all tokens of all rows. */
export async function tokenMean(
  student: Student,
  rows: Parameters<Student['logProbabilities']>[0],
): Promise<number> {
  const found = await student.logProbabilities(rows);
  const sum = found.reduce((total, row) => total + row.sum, 0);
  return -sum / found.reduce((total, row) => total + row.tokens, 0);
}
