/**
 * The critic of a model, as configured: a head on the policy's states (RL4VLM), or on those of a second adapter of the
 * same model, with the policy's rank, α and layers, which starts as the base without stored parameters (a public fork
 * of VLA-RL).
 */
import { EmacError, type ParameterSet } from '@emac/core';
import {
  adaptedCritic,
  createValueHead,
  critic,
  drawnAdapter,
  valueAdapterOf,
  valueAdapterTensors,
  type AdapterLearner,
  type Critic,
  type Student,
} from '@emac/model';
import {
  checkpointFiles,
  loadCheckpoint,
  resolveCheckpoint,
  valueAdapterFiles,
  valueHeadFiles,
  type TrainedFiles,
} from '@emac/runs';
import type { PpoConfig } from '@emac/settings';
import type { OpenModel } from '../models/model.ts';
import { checkpointForm } from '../models/checkpoint-form.ts';
import { isOfOthers } from '../models/projection-start.ts';
import type { PolicyStart } from './ppo-policy.ts';

export interface OpenValues {
  readonly critic: Critic;
  /** their numbers as they are now */
  files(): TrainedFiles[];
  dispose(): Promise<void>;
}

export interface ValuedPolicy {
  readonly config: PpoConfig;
  readonly model: OpenModel;
  /** a critic with its own adapter must be trained by it */
  readonly student: Student;
}

/**
 * With its start's parameters, or new ones. Errors: `usage` for a start with another kind of critic; `data` for
 * parameters that do not fit the policy's form.
 */
export async function openValues(
  { config, model, student }: ValuedPolicy,
  { random, from }: PolicyStart,
): Promise<OpenValues> {
  const { hiddenWidths, learningRateScale, learns } = config.value;
  requireLearnedSo(learns, from);
  const learner = learns === 'adapter' ? secondAdapter({ model, student }, { random, from }) : null;
  const head = await createValueHead({
    inputWidth: model.files.config.llama.hiddenSize,
    hiddenWidths,
    parameters: storedBeside(from, 'valueHead') ?? random.stream('value head'),
    learningRateScale,
  });
  const values = learner
    ? adaptedCritic({ learner, head })
    : critic({ policy: student, head, learns: learns === 'policy' ? 'policy' : 'head' });
  return {
    critic: values,
    files: () => [
      valueHeadFiles(head.group.parameters),
      ...(learner ? [valueAdapterFiles(valueAdapterTensors(values))] : []),
    ],
    dispose: () => head.dispose(),
  };
}

/** A head knows the states that it learned from. */
function requireLearnedSo(learns: PpoConfig['value']['learns'], from: string | null): void {
  if (from === null) return;
  const before = checkpointForm(from)?.stepped?.value?.learns ?? learns;
  if (before === learns) return;
  throw new EmacError(
    'usage',
    `--init ${from}: its critic was trained with --value-learns ${before}, got ${learns}; give --value-learns ${before}`,
  );
}

function secondAdapter(
  { model, student }: Pick<ValuedPolicy, 'model' | 'student'>,
  { random, from }: PolicyStart,
): AdapterLearner {
  const { settings } = student.adapter!;
  const stored = storedBeside(from, 'valueAdapter');
  return student.beside(
    stored
      ? valueAdapterOf(stored, settings)
      : drawnAdapter(model.files.config, settings, random.stream('value adapter')),
  );
}

/** A part of a policy's start besides projection and adapter; null if there is none. */
export function storedBeside(
  from: string | null,
  part: 'valueHead' | 'valueAdapter' | 'temporalPredictor',
): ParameterSet | null {
  if (from === null || isOfOthers(from)) return null;
  return loadCheckpoint(resolveCheckpoint(from).folder).beside.get(checkpointFiles[part]) ?? null;
}
