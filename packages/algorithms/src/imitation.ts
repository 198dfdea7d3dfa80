/**
 * Behaviour cloning (EMMA's first phase): cross-entropy of the expert's command, end token included. The published
 * code takes the token mean of every micro-batch as it was drawn and then the mean over the micro-batches of an
 * update; a sample's tokens therefore weigh 1 / (label tokens in its micro-batch) / (micro-batches). With the weights
 * fixed like that, all rows of an update go to the student at once, and it may group them as it likes.
 */
import type { ImitationBuffer } from '@emac/buffers';
import type { ImitationRow, Student } from '@emac/core';
import type { Learner } from './learner.ts';
import { scaledRows, unscaled } from './loss-scale.ts';
import { appender, drawMicroBatches, sumWeights, transitionsAt } from './micro-batches.ts';
import type { ProbeStep } from './probe.ts';
import { originOf, selectSteps } from './select-steps.ts';
import type { TrainingSettings } from './settings.ts';
import type { PolicyTexts } from './texts.ts';

export interface ImitationParts {
  readonly student: Student;
  readonly buffer: ImitationBuffer;
  readonly texts: PolicyTexts;
  readonly settings: Pick<TrainingSettings, 'selection' | 'trainOnUnusable'>;
  readonly probe?: readonly ProbeStep[];
}

/** Learning from the expert's labels. */
export function imitationLearner({ student, buffer, texts, settings, probe = [] }: ImitationParts): Learner {
  const append = appender(buffer, settings.selection.keep === 'distinct');
  return {
    length: () => buffer.length,
    appended: () => buffer.appended,
    store(steps) {
      const before = buffer.appended;
      for (const step of selectSteps(steps, settings.selection)) {
        const command = step.label ?? (settings.trainOnUnusable ? step.own : null);
        if (command !== null) append({ ...originOf(step), target: texts.target(command) }, step.features);
      }
      return Promise.resolve(buffer.appended - before);
    },
    async gradient(draw) {
      const microBatches = drawMicroBatches(buffer.length, draw);
      const rows = weightedRows(student, buffer, microBatches);
      const found = await student.imitationGradient(scaledRows(rows, draw.lossScale));
      const { loss, gradients } = unscaled(found, draw.lossScale);
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

function weightedRows(
  student: Student,
  buffer: ImitationBuffer,
  microBatches: readonly (readonly number[])[],
): ImitationRow[] {
  const transitions = transitionsAt(buffer, microBatches.flat());
  const tokens = (index: number): number => student.countTargetTokens(transitions.get(index)!.target);
  const weights = sumWeights(
    microBatches.flatMap((microBatch) => {
      const labelTokens = microBatch.reduce((sum, index) => sum + tokens(index), 0);
      return microBatch.map((index) => [index, 1 / labelTokens / microBatches.length] as const);
    }),
  );
  return [...weights].map(([index, weight]) => {
    const { text, featuresKey, target } = transitions.get(index)!;
    return { text, features: buffer.features.read(featuresKey), target, weight };
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
