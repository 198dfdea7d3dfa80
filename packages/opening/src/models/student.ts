/** A trainable policy, opened on a model, with a projection of its own if the model sees. */
import { visionOf, withVisionNorm, type AdapterTarget } from '@emac/backbone';
import { promptOf } from '@emac/core';
import { createProjection, createStudent, type Student, type TrainedPart } from '@emac/model';
import { noFrame } from '@emac/rollout';
import { defaultParallel } from '@emac/settings';
import type { OpenModel } from './model.ts';
import type { SpokenForm } from './policy-form.ts';
import { projectionNames, type ProjectionStart, type StartingProjection } from './projection-start.ts';
import { identityWith } from './vision-norm.ts';

/** Training options for opening a policy. */
export interface Learning {
  /** default the projection, or nothing where there is none */
  readonly train?: readonly TrainedPart[];
  /** projections that a reference adapts */
  readonly alsoAdapted?: readonly AdapterTarget[];
  readonly dropoutSeed?: string;
}

/** Opens a student; the frozen weights are mapped, not copied. Errors: `data`, `unavailable`. */
export async function openStudent(
  model: OpenModel,
  start: ProjectionStart,
  { generation, text, ...learning }: SpokenForm & Learning,
): Promise<Student> {
  const { files, provider, identity, layers, activations, savings, rows, tensorflow } = model;
  const { config } = files;
  const projection =
    start.projection &&
    createProjection(tensorflow.tf, {
      kind: start.projection.kind,
      inputWidth: visionOf(files).connector(files).inputWidth,
      outputWidth: config.llama.hiddenSize,
      ...(hasBias(model, start.projection) ? {} : { bias: false }),
      ...(start.projection.hidden === null ? {} : { hiddenWidth: start.projection.hidden }),
      parameters: start.projection.parameters,
    });
  const { visionNorm } = start;
  const student = await createStudent({
    model: visionNorm === null ? files : withVisionNorm(files, visionNorm),
    identity: identityWith(identity, visionNorm),
    projection,
    adapter: start.adapter,
    ...learning,
    generation,
    provider,
    activations,
    contextBytes: model.contextBytes,
    featureBytes: model.featureBytes,
    ...(layers === 'auto' ? {} : { layers }),
    maxTextTokens: text.maxTokens,
    dialogue: text.dialogue,
    savings: savings === 'none' ? savings : { sharedBeginnings: rows === 'episodes' },
  });
  // a missing provider shows only when a session opens, and that should be before anything is written
  return provider === 'cpu' ? student : proven(student);
}

/** As the given parameters, or for a new projection of one layer as the model's own. */
function hasBias({ files }: Pick<OpenModel, 'files'>, { kind, parameters }: StartingProjection): boolean {
  const isNew = !(parameters instanceof Map);
  const own = projectionNames(files);
  const names = isNew ? own : ([...parameters.keys()] as string[]);
  if (isNew && (kind !== 'linear' || !own.includes('language_projection.weight'))) return true;
  return names.some((name) => name.endsWith('bias'));
}

/** A student after one test encoding or scoring; one that fails is closed. */
async function proven(student: Student): Promise<Student> {
  try {
    if (student.encode) await student.encode(noFrame);
    else await student.score([{ prompt: promptOf([], 'a'), answers: ['b'] }]);
    return student;
  } catch (thrown) {
    await student.dispose();
    throw thrown;
  }
}

/** Streamed layers hold keys and values of every concurrent episode, so the default is one. */
export function parallelOf({ layers }: Pick<Student, 'layers'>): number {
  return layers === 'streamed' ? 1 : defaultParallel;
}
