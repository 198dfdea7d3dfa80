/** The learner of a phase over a buffer that is kept on disk. */
import { imitationLearner, preferenceLearner, type Learner, type ProbeStep } from '@emac/algorithms';
import {
  createImitationBuffer,
  createPreferenceBuffer,
  openBufferFile,
  type BufferFile,
} from '@emac/buffers';
import { invariant, type Trainable } from '@emac/core';
import type { FilePart } from '@emac/files';
import type { TrainingPlan } from './plan.ts';

export interface LearnerParts {
  /** the plan's student, as it is differentiated */
  readonly policy: Trainable;
  readonly probe: readonly ProbeStep[];
  /** path of the buffer's file */
  readonly path: string;
  /** the part of that file to keep; absent in a new run */
  readonly keep: FilePart | undefined;
}

/** Of the phase's method. Errors: `cannot-create`, `io`, `data`. */
export function openLearner(
  { reference, settings, policy: { texts }, config, method }: TrainingPlan,
  { policy, probe, path, keep }: LearnerParts,
): { readonly learner: Learner; readonly file: BufferFile } {
  const distinct = settings.samples.selection.keep === 'distinct';
  if (method.over === 'answers') {
    const buffer = createImitationBuffer({ distinct });
    const learner = imitationLearner({
      method: method.learn(policy),
      buffer,
      texts,
      settings: settings.samples,
      probe,
      rows: config.model.rows,
    });
    return { learner, file: openBufferFile(path, buffer, keep) };
  }
  invariant(reference || method.isJudged === false, `openLearner: ${config.phase} needs a reference`);
  const equalPairs = settings.samples.agreed === 'keep' ? 'keep' : 'drop';
  const buffer = createPreferenceBuffer({ equalPairs, distinct });
  const learner = preferenceLearner({
    method: method.learn(policy, settings.preference, reference && reference.policy),
    reference: reference && reference.policy,
    ...(reference && { referenceHash: reference.hash }),
    buffer,
    texts,
    settings,
    judgeOnce: config.model.savings === 'all',
    probe,
    rows: config.model.rows,
  });
  return { learner, file: openBufferFile(path, buffer, keep) };
}
