/**
 * A run's own copy of the policy that preferences are measured against: the run goes on although the reference was
 * moved, trained further or removed.
 */
import { join } from 'node:path';
import { canonicalJson, encodeSafetensors, writeFolderAtomic, type TensorData } from '@emac/files';
import { layout, loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import type { TrainingState } from '@emac/trainer';
import { EmacError } from '@emac/core';
import { isModel } from './projection-start.ts';
import type { PhaseValues } from './train-options.ts';
import type { TrainingPlan } from './training-plan.ts';
import { visionNormTensors } from './vision-norm.ts';

/** Where a run keeps its reference, in the form of a checkpoint without optimizer. */
export function referenceFolder(run: string): string {
  return join(run, layout.reference);
}

/** Writes the reference of a plan, if it has one, into the folder of its run. */
export function keepReference(run: string, plan: TrainingPlan): void {
  const { reference, policy, visionNorm, model, trainedOn, memories } = plan;
  if (!reference) return;
  const tensors = [...reference.parameters(), ...visionNormTensors(visionNorm)].map(
    ([name, { shape, data }]): [string, TensorData] => [name, { dtype: 'F32', shape, data }],
  );
  const state = { v: 1, policy: { ...policy, projection: plan.referenceProjection }, training: { memories } };
  writeFolderAtomic(
    referenceFolder(run),
    new Map([
      ['projection.safetensors', encodeSafetensors(new Map(tensors))],
      ['state.json', new TextEncoder().encode(`${canonicalJson(state, 2)}\n`)],
    ]),
    { baseModel: model.identity, games: trainedOn },
  );
}

/** The lessons that a run of preference learning begins with. Errors: `usage` where its reference is no run. */
export function carriedMemories(
  { carry, phase }: Pick<PhaseValues, 'carry' | 'phase'>,
  ref: string | null,
): TrainingState['memories'] {
  if (carry === null || phase === 'bc' || ref === null) return [];
  const state = isModel(ref) ? {} : loadCheckpoint(resolveCheckpoint(ref).folder).state;
  const { memories } = (state['training'] ?? {}) as Partial<TrainingState>;
  if (!memories) throw new EmacError('usage', `--carry memories: ${ref} is no run, it holds no lessons`);
  return memories;
}
