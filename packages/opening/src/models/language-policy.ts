/** A language model opened as a policy: the same for evaluation, collection and every training method. */
import type { VisionNorm } from '@emac/backbone';
import type { Random } from '@emac/core';
import type { Student } from '@emac/model';
import type { FreshAdapter, TrainConfig } from '@emac/settings';
import { adapterFiles, adapterStart } from './adapter.ts';
import type { OpenedPolicy } from './opened-policy.ts';
import type { OpenModel } from './model.ts';
import type { PolicyForm } from './policy-form.ts';
import {
  ownProjection,
  projectionForm,
  requireNoOtherModel,
  storedProjection,
  type ProjectionStart,
} from './projection-start.ts';
import { openStudent, type Learning } from './student.ts';
import { projectionTensors } from './vision-norm.ts';

/** The requested form of a policy: its environment and speech. */
export type AskedForm = Pick<PolicyForm, 'env' | 'generation' | 'text' | 'maxSteps' | 'admissibleOnly'>;

export interface LanguagePolicy extends OpenedPolicy {
  readonly student: Student;
  readonly model: OpenModel & Pick<Student, 'layers'>;
  readonly start: ProjectionStart;
  readonly form: PolicyForm;
  /** how its student was opened, for a worker that opens it too */
  readonly learning: Omit<Learning, 'alsoAdapted'>;
  /** last norm of the vision model, if the projection came with one */
  readonly visionNorm: VisionNorm | null;
}

export interface LanguageAsked extends Learning {
  readonly start: ProjectionStart;
  readonly form: AskedForm;
}

/** The caller disposes of it. Errors: `data`, `unavailable`. */
export async function languagePolicy(
  model: OpenModel,
  { start, form: asked, ...learning }: LanguageAsked,
): Promise<LanguagePolicy> {
  const { env, generation, text, maxSteps, admissibleOnly } = asked;
  const student = await openStudent(model, start, { generation, text, ...learning });
  const { visionNorm, adapter } = start;
  const { alsoAdapted: _ofThisStudent, ...sent } = learning;
  const form = {
    ...(env !== undefined && { env }),
    projection: projectionForm(start),
    generation,
    text,
    maxSteps,
    admissibleOnly,
    visionNorm: visionNorm && { epsilon: visionNorm.epsilon },
  };
  return {
    name: model.folder,
    identity: model.identity,
    learner: student,
    student,
    model: { ...model, layers: student.layers },
    start,
    form,
    learning: sent,
    visionNorm,
    adapter,
    note: student.note,
    stored: { policy: form },
    content: () => ({
      projection: projectionTensors(student, visionNorm),
      beside: student.adapter ? [adapterFiles(student.adapter, model.files.family)] : [],
    }),
    dispose: () => student.dispose(),
  };
}

export interface TrainingStart {
  readonly model: OpenModel;
  /** a run or checkpoint with the parameters; null: the model's own */
  readonly from: string | null;
  readonly random: Random;
  /** settings of a new adapter */
  readonly fresh: FreshAdapter;
}

/** The projection and adapter that training by rewards starts from. Errors: `usage`, `missing`, `data`. */
export function trainingStart(
  config: Pick<TrainConfig, 'trained'>,
  { model, from, random, fresh }: TrainingStart,
): ProjectionStart {
  if (from !== null) requireNoOtherModel(from, model);
  const start = from === null ? ownProjection(model.files) : storedProjection(from, model);
  return { ...start, adapter: adapterStart(config, { start, model, random, fresh }) };
}
