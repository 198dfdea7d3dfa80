/** The learner of a phase over a fresh buffer. */
import { createImitationBuffer, createPreferenceBuffer } from '@emac/buffers';
import { encodeSafetensors, sha256, type TensorData } from '@emac/files';
import {
  imitationLearner,
  preferenceLearner,
  type Learner,
  type PolicyTexts,
  type ProbeStep,
} from '@emac/trainer';
import type { Student } from '@emac/core';
import type { TrainingPlan } from './training-plan.ts';

/** Imitation for bc, preferences against the reference for dpo. */
export function learnerOf(plan: TrainingPlan, texts: PolicyTexts, probe: readonly ProbeStep[]): Learner {
  const { student, reference, settings } = plan;
  const parts = { student, texts, settings, probe };
  if (!reference) return imitationLearner({ ...parts, buffer: createImitationBuffer() });
  const equalPairs = settings.agreed === 'keep' ? 'keep' : 'drop';
  return preferenceLearner({
    ...parts,
    reference,
    referenceHash: parametersHash(reference),
    buffer: createPreferenceBuffer({ equalPairs }),
  });
}

/** SHA-256 of a student's parameters, as stored. */
function parametersHash(student: Student): string {
  const tensors = [...student.parameters()].map(([name, { shape, data }]): [string, TensorData] => [
    name,
    { dtype: 'F32', shape, data },
  ]);
  return sha256(encodeSafetensors(new Map(tensors)));
}
