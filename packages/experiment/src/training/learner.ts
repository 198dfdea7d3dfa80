/** The learner of a phase over a buffer that is kept on disk. */
import {
  createImitationBuffer,
  createPreferenceBuffer,
  openBufferFile,
  type BufferFile,
} from '@emac/buffers';
import { encodeSafetensors, sha256, type FilePart, type TensorData } from '@emac/files';
import {
  imitationLearner,
  preferenceLearner,
  type Learner,
  type PolicyTexts,
  type ProbeStep,
} from '@emac/trainer';
import type { Student } from '@emac/core';
import type { TrainingPlan } from './training-plan.ts';

export interface LearnerParts {
  readonly texts: PolicyTexts;
  readonly probe: readonly ProbeStep[];
  /** path of the buffer's file */
  readonly path: string;
  /** what of that file is kept; nothing in a run that begins */
  readonly keep: FilePart | undefined;
}

/** Imitation for bc, preferences against the reference for dpo. Errors: `cannot-create`, `io`, `data`. */
export function openLearner(
  plan: TrainingPlan,
  { texts, probe, path, keep }: LearnerParts,
): { readonly learner: Learner; readonly file: BufferFile } {
  const { student, reference, settings } = plan;
  const parts = { student, texts, settings, probe };
  if (!reference) {
    const buffer = createImitationBuffer();
    return { learner: imitationLearner({ ...parts, buffer }), file: openBufferFile(path, buffer, keep) };
  }
  const equalPairs = settings.agreed === 'keep' ? 'keep' : 'drop';
  const buffer = createPreferenceBuffer({ equalPairs });
  const referenceHash = parametersHash(reference);
  const judgeOnce = plan.values.savings === 'all';
  const learner = preferenceLearner({ ...parts, reference, referenceHash, buffer, judgeOnce });
  return { learner, file: openBufferFile(path, buffer, keep) };
}

/** SHA-256 of a student's parameters, as stored. */
function parametersHash(student: Student): string {
  const tensors = [...student.parameters()].map(([name, { shape, data }]): [string, TensorData] => [
    name,
    { dtype: 'F32', shape, data },
  ]);
  return sha256(encodeSafetensors(new Map(tensors)));
}
